#include "reduce/groups/run_records.hpp"

#include <cstdint>
#include <utility>

#include "base/packed_integers.hpp"

namespace tessera::reduce {

using statistics::GroupKey;
using statistics::GroupMember;

GroupRecords::Records GroupRecords::merged(std::span<const Records> parts) const {
  std::vector<const Records*> pointers;
  for (const Records& part : parts) pointers.push_back(&part);
  return statistics::merged(spec_, pointers);
}

base::Bytes GroupRecords::encode(const Records& records) {
  base::ByteWriter to;
  records.write_packed(to);
  return to.take();
}

GroupRecords::Records GroupRecords::decode(std::span<const std::byte> bytes) {
  base::ByteReader from(bytes);
  Records records;
  records.read_packed(from);
  return records;
}

MemberRecords::Records MemberRecords::part(const Records& records, std::size_t first,
                                           std::size_t end) {
  return {records.begin() + static_cast<std::ptrdiff_t>(first),
          records.begin() + static_cast<std::ptrdiff_t>(end)};
}

MemberRecords::Records MemberRecords::merged(std::span<const Records> parts) {
  Records all;
  std::size_t count = 0;
  for (const Records& part : parts) count += part.size();
  all.reserve(count);
  for (const Records& part : parts) all.insert(all.end(), part.begin(), part.end());
  statistics::sort_members(all);
  return all;
}

base::Bytes MemberRecords::encode(const Records& records) {
  base::ByteWriter to;
  std::vector<std::uint64_t> column(records.size());
  const auto put = [&](const auto& value) {
    for (std::size_t i = 0; i < records.size(); ++i) column[i] = value(records[i]);
    base::put_packed(column, to);
  };
  GroupKey before = records.empty() ? 0 : records.front().group;
  to.put(before);
  put([&](const GroupMember& member) {
    return member.group - std::exchange(before, member.group);
  });
  put([](const GroupMember& member) { return member.key; });
  put([](const GroupMember& member) { return static_cast<std::uint64_t>(member.place); });
  return to.take();
}

MemberRecords::Records MemberRecords::decode(std::span<const std::byte> bytes) {
  base::ByteReader from(bytes);
  auto group = from.get<GroupKey>();
  const std::vector<std::uint64_t> steps = base::get_packed(from);
  const std::vector<std::uint64_t> keys = base::get_packed(from);
  const std::vector<std::uint64_t> places = base::get_packed(from);
  Records records(steps.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    records[i] = {group += steps[i], static_cast<std::int64_t>(places.at(i)), keys.at(i)};
  }
  return records;
}

}  // namespace tessera::reduce
