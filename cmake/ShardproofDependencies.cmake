# Everything comes from the distribution's packages; scripts/setup installs what is missing.

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(BSON REQUIRED IMPORTED_TARGET libbson-1.0>=1.21)
pkg_check_modules(MONGOC REQUIRED IMPORTED_TARGET libmongoc-1.0>=1.21)
pkg_check_modules(CJSON REQUIRED IMPORTED_TARGET libcjson>=1.7)
pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka>=1.1)
pkg_check_modules(CRYPTO REQUIRED IMPORTED_TARGET libcrypto>=1.1.1)
pkg_check_modules(ICU REQUIRED IMPORTED_TARGET icu-i18n icu-uc)
# The old PCRE, whose syntax is the servers' (oracles/regex.h).
pkg_check_modules(PCRE REQUIRED IMPORTED_TARGET libpcre>=8.39)

# Intel's decimal library has no pkg-config file. Its archives differ in how arguments travel; gcc000
# takes them by value and the rounding mode and the flags as parameters, so it keeps no global state.
find_path(INTEL_DECIMAL_INCLUDE_DIR bid_functions.h REQUIRED)
find_library(INTEL_DECIMAL_LIBRARY bidgcc000 REQUIRED)
add_library(intel_decimal INTERFACE IMPORTED)
set_target_properties(intel_decimal PROPERTIES
  INTERFACE_INCLUDE_DIRECTORIES "${INTEL_DECIMAL_INCLUDE_DIR}"
  INTERFACE_LINK_LIBRARIES "${INTEL_DECIMAL_LIBRARY};m"
  INTERFACE_COMPILE_DEFINITIONS
    "DECIMAL_CALL_BY_REFERENCE=0;DECIMAL_GLOBAL_ROUNDING=0;DECIMAL_GLOBAL_EXCEPTION_FLAGS=0")
