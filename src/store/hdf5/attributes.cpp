#include "store/hdf5/attributes.hpp"

#include <algorithm>
#include <ctime>
#include <vector>

namespace tessera::store {

namespace {

Handle text_type(const CheckedCall& h5, std::size_t bytes) {
  Handle type(h5("H5Tcopy", H5Tcopy, H5T_C_S1));
  h5("H5Tset_size", H5Tset_size, type.id(), bytes);
  h5("H5Tset_cset", H5Tset_cset, type.id(), H5T_CSET_UTF8);
  return type;
}

std::size_t text_bytes(const CheckedCall& h5, const Handle& attribute) {
  const Handle type(h5("H5Aget_type", H5Aget_type, attribute.id()));
  return H5Tget_size(type.id());
}

/// Writes a text of at most `capacity` bytes into the existing attribute.
void overwrite(const CheckedCall& h5, const Handle& attribute, std::string text,
               std::size_t capacity) {
  text.resize(capacity, '\0');
  const Handle type = text_type(h5, capacity);
  h5("H5Awrite", H5Awrite, attribute.id(), type.id(), text.c_str());
}

herr_t take_name(hid_t, const char* name, const H5A_info_t*, void* names) noexcept {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

std::vector<std::string> attribute_names(const CheckedCall& h5, const Handle& file) {
  const Handle root(h5("H5Gopen2", H5Gopen2, file.id(), "/", H5P_DEFAULT));
  const Handle plist(h5("H5Gget_create_plist", H5Gget_create_plist, root.id()));
  unsigned order = 0;
  h5("H5Pget_attr_creation_order", H5Pget_attr_creation_order, plist.id(), &order);
  const bool tracked = (order & H5P_CRT_ORDER_TRACKED) != 0;
  std::vector<std::string> names;
  h5("H5Aiterate2", H5Aiterate2, file.id(), tracked ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME,
     H5_ITER_INC, nullptr, take_name, &names);
  return names;
}

}  // namespace

void set_attribute(const CheckedCall& h5, const Handle& file, const std::string& name,
                   const std::string& text) {
  const char* key = name.c_str();
  const std::size_t bytes = text.size() + 1;  // the terminating 0 included
  if (h5("H5Aexists", H5Aexists, file.id(), key) > 0) {
    const Handle attribute(h5("H5Aopen", H5Aopen, file.id(), key, H5P_DEFAULT));
    const std::size_t capacity = text_bytes(h5, attribute);
    if (bytes <= capacity) return overwrite(h5, attribute, text, capacity);
  }
  if (h5("H5Aexists", H5Aexists, file.id(), key) > 0) {
    h5("H5Adelete", H5Adelete, file.id(), key);
  }
  const Handle type = text_type(h5, bytes);
  const Handle space(h5("H5Screate", H5Screate, H5S_SCALAR));
  const Handle attribute(h5("H5Acreate2", H5Acreate2, file.id(), key, type.id(), space.id(),
                            H5P_DEFAULT, H5P_DEFAULT));
  h5("H5Awrite", H5Awrite, attribute.id(), type.id(), text.c_str());
}

Attributes read_attributes(const CheckedCall& h5, const Handle& file) {
  Attributes attributes;
  for (const std::string& name : attribute_names(h5, file)) {
    const Handle attribute(h5("H5Aopen", H5Aopen, file.id(), name.c_str(), H5P_DEFAULT));
    const Handle type(h5("H5Aget_type", H5Aget_type, attribute.id()));
    const Handle space(h5("H5Aget_space", H5Aget_space, attribute.id()));
    const bool text =
        h5("H5Tget_class", H5Tget_class, type.id()) == H5T_STRING &&
        h5("H5Tis_variable_str", H5Tis_variable_str, type.id()) == 0 &&
        h5("H5Sget_simple_extent_npoints", H5Sget_simple_extent_npoints, space.id()) == 1;
    if (!text) continue;
    std::string value(H5Tget_size(type.id()), '\0');
    h5("H5Aread", H5Aread, attribute.id(), type.id(), value.data());
    value.resize(std::min(value.find('\0'), value.size()));
    attributes.emplace_back(name, std::move(value));
  }
  return attributes;
}

std::string find_attribute(const Attributes& attributes, const std::string& name) {
  for (const auto& [key, value] : attributes) {
    if (key == name) return value;
  }
  return "";
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

}  // namespace tessera::store
