// What Nsight Systems does, in small: NVTX loads this library into a program whose environment
// names it in NVTX_INJECTION64_PATH, and it prints the names of all ranges when the program ends.
#include <nvtx3/nvToolsExt.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string>

namespace {

struct Heard {
  std::mutex mutex;
  std::set<std::string> names;
  int open = 0;
};

Heard& heard() {
  static Heard once;
  return once;
}

int NVTX_API on_push(const char* name) {
  Heard& all = heard();
  const std::scoped_lock lock(all.mutex);
  all.names.insert(name);
  return all.open++;
}

int NVTX_API on_pop() {
  Heard& all = heard();
  const std::scoped_lock lock(all.mutex);
  return --all.open;
}

void tell() {
  std::string line = "nvtx ranges:";
  for (const std::string& name : heard().names) line += " " + name;
  std::printf("%s; left open: %d\n", line.c_str(), heard().open);
}

}  // namespace

extern "C" int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_table) {
  const auto* const callbacks =
      static_cast<const NvtxExportTableCallbacks*>(get_table(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable functions = nullptr;
  unsigned int count = 0;
  if (callbacks == nullptr ||
      callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &functions, &count) == 0) {
    return 0;
  }
  *functions[NVTX_CBID_CORE_RangePushA] = reinterpret_cast<NvtxFunctionPointer>(&on_push);
  *functions[NVTX_CBID_CORE_RangePop] = reinterpret_cast<NvtxFunctionPointer>(&on_pop);
  heard();
  std::atexit(&tell);
  return 1;
}
