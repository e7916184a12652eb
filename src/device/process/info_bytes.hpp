// Sends a DeviceInfo from one process of this executable to another.
#pragma once

#include <cstdint>
#include <string>

#include "base/bytes.hpp"
#include "device/device.hpp"

namespace tessera::device::process {

inline void put_info(base::ByteWriter& out, const DeviceInfo& info) {
  for (const std::string* text : {&info.name, &info.detail, &info.reason, &info.driver,
                                  &info.compute, &info.uuid, &info.pci}) {
    out.put_text(*text);
  }
  out.put(info.memory_bytes).put(info.fp64).put(info.is_gpu);
}

inline DeviceInfo get_info(base::ByteReader& in) {
  DeviceInfo info;
  for (std::string* text : {&info.name, &info.detail, &info.reason, &info.driver, &info.compute,
                            &info.uuid, &info.pci}) {
    *text = in.get_text();
  }
  info.memory_bytes = in.get<std::uint64_t>();
  for (bool* flag : {&info.fp64, &info.is_gpu}) *flag = in.get<bool>();
  return info;
}

}  // namespace tessera::device::process
