#include "plane/mpfr_number.hpp"

#include <locale.h>

namespace tessera::plane {
namespace {

/// The locale of C for this thread. MPFR prints the decimal point of the locale, and a host of the
/// library may have set one with a comma.
class LocaleOfC {
 public:
  LocaleOfC() : before_(::uselocale(of_c())) {}
  ~LocaleOfC() { ::uselocale(before_); }
  LocaleOfC(const LocaleOfC&) = delete;
  LocaleOfC& operator=(const LocaleOfC&) = delete;

 private:
  static locale_t of_c() {
    static const locale_t locale = ::newlocale(LC_ALL_MASK, "C", nullptr);
    return locale;
  }

  locale_t before_;
};

}  // namespace

std::string MpfrNumber::printed(const char* format, std::int64_t digits) const {
  const LocaleOfC scope;
  char* text = nullptr;
  mpfr_asprintf(&text, format, static_cast<int>(digits), value_);
  std::string copy(text);
  mpfr_free_str(text);
  return copy;
}

}  // namespace tessera::plane
