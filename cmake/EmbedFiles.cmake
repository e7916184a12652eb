# Makes the table of the page's files for src/view/http/assets.cpp:
#   cmake -DFILES=name|path,name|path... -DOUTPUT=... -P EmbedFiles.cmake
string(REPLACE "," ";" FILES "${FILES}")
set(arrays "")
set(rows "")
set(number 0)
foreach(entry IN LISTS FILES)
  string(REPLACE "|" ";" entry "${entry}")
  list(GET entry 0 name)
  list(GET entry 1 path)
  file(READ "${path}" bytes HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND arrays "constexpr unsigned char kFile${number}[] = {\n${bytes}0};\n")
  string(APPEND rows "    file(\"${name}\", kFile${number}, sizeof(kFile${number}) - 1),\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE "${OUTPUT}" "// Made from the files of the page at build time.
#include \"view/http/embedded_files.hpp\"

namespace tessera::view {
namespace {

${arrays}
[[maybe_unused]] EmbeddedFile file(const char* name, const unsigned char* bytes, unsigned long size) {
  return {name, {reinterpret_cast<const char*>(bytes), size}};
}

}  // namespace

std::vector<EmbeddedFile> embedded_files() {
  return {
${rows}  };
}

}  // namespace tessera::view
")
