// The terminal: its width, and text fitted to it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace tessera::base {

/// Columns of a line if nothing else is known.
inline constexpr int kDefaultColumns = 80;

/// The columns of the terminal behind a file descriptor, or of COLUMNS if that is set; otherwise
/// kDefaultColumns.
int columns_of(int descriptor);

/// Breaks lines of more than `columns` at blanks. A continuation is indented as far as the last
/// column of its line begins, where columns are apart by at least two blanks.
std::string wrapped(std::string_view text, int columns);

/// The first `columns` columns of `line`, which is UTF-8.
std::string fitted(std::string_view line, int columns);

/// A descriptor of the terminal on which a person reads this program's stderr.
class Terminal {
 public:
  /// stderr, if it is a terminal. If it is a pipe to a launcher, the controlling terminal, as long
  /// as the launcher's own stderr is a terminal.
  static std::unique_ptr<Terminal> find(bool launched);
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  int columns() const { return columns_of(descriptor_); }
  /// Errors are ignored: the terminal may be gone.
  void write(std::string_view text) const noexcept;

 private:
  Terminal(int descriptor, bool owned) : descriptor_(descriptor), owned_(owned) {}
  int descriptor_;
  bool owned_;
};

}  // namespace tessera::base
