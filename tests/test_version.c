#include "../oracles/version.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static sp_version_t parse(const char *text)
{
    sp_version_t version;
    sp_error_t error = {0};
    if (!sp_version_parse(text, &version, &error))
        fail_msg("%s", error.message);
    return version;
}

static void test_parse(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        sp_version_t version;
    } good[] = {
        {"6.0.5", {6, 0, 5}}, {"6.0.27", {6, 0, 27}}, {"6.0", {6, 0, 0}},
        {"4.0.3", {4, 0, 3}}, {"4.0.0", {4, 0, 0}},   {"4.4.2", {4, 4, 2}},
        {"5.0.4", {5, 0, 4}}, {"6.3", {6, 3, 0}},     {"6.0.999", {6, 0, 999}},
    };
    for (size_t i = 0; i < COUNT(good); i++)
        assert_int_equal(sp_version_compare(parse(good[i].text), good[i].version), 0);
    assert_int_equal(sp_version_compare(parse(SP_MODEL_DEFAULT_VERSION), parse("6.0.27")), 0);
}

static void test_parse_refuses(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",         "6",      "6.",     "6.0.",   "6.0.5.",  "6.0.5.1", "6.0.5a",
        "a6.0.5",   " 6.0.5", "6.0.5 ", "6. 0.5", "6.0. 5",  "+6.0",    "6.+0",
        "6.0.+5",   "-6.0",   "6.-0",   "6.0.-1", "6,0,5",   "v6.0.5",  "6.0.5-rc0",
        "6.0.1234", "6000.0", ".6.0",   "6..5",   "0x6.0.5", "latest"};
    for (size_t i = 0; i < COUNT(bad); i++) {
        sp_version_t version;
        sp_error_t error = {0};
        if (sp_version_parse(bad[i], &version, &error))
            fail_msg("'%s' is read as %u.%u.%u", bad[i], version.major, version.minor,
                     version.patch);
        assert_int_equal(error.domain, SP_ERROR_USAGE);
        assert_non_null(strstr(error.message, "is no server version: write it like 6.0.5"));
    }
}

static void test_parse_refuses_unknown_versions(void **state)
{
    (void)state;
    static const char *const unknown[] = {"3.6.23", "0.0.0", "3.999.999", "7.0",
                                          "7.0.0",  "8.0.1", "60.0.5"};
    for (size_t i = 0; i < COUNT(unknown); i++) {
        sp_version_t version;
        sp_error_t error = {0};
        assert_false(sp_version_parse(unknown[i], &version, &error));
        assert_int_equal(error.domain, SP_ERROR_USAGE);
        assert_non_null(strstr(error.message, "the model has rules for 4.0 up to 6.0, not for"));
    }
}

static void test_compare(void **state)
{
    (void)state;
    static const sp_version_t ascending[] = {{4, 0, 3}, {4, 4, 0},  {4, 4, 2}, {5, 0, 0},
                                             {6, 0, 5}, {6, 0, 27}, {6, 1, 0}, {7, 0, 0}};
    for (size_t i = 0; i < COUNT(ascending); i++) {
        for (size_t j = 0; j < COUNT(ascending); j++)
            assert_int_equal(sp_version_compare(ascending[i], ascending[j]), (i > j) - (i < j));
    }
}

/* Each difference has its rows, each row a source, and no two rows of one difference overlap. */
static void test_table(void **state)
{
    (void)state;
    unsigned count;
    const sp_difference_row_t *rows = sp_version_table(&count);
    bool seen[SP_DIFFERENCES] = {false};
    for (unsigned i = 0; i < count; i++) {
        assert_in_range(rows[i].difference, 0, SP_DIFFERENCES - 1);
        seen[rows[i].difference] = true;
        assert_int_equal(sp_version_compare(rows[i].since, rows[i].before), -1);
        assert_true(rows[i].evidence == SP_OBSERVED || rows[i].evidence == SP_DOCUMENTED);
        assert_non_null(rows[i].source);
        assert_true(strlen(rows[i].source) >= 20);
        for (unsigned j = 0; j < i; j++) {
            if (rows[j].difference == rows[i].difference)
                assert_true(sp_version_compare(rows[i].before, rows[j].since) <= 0 ||
                            sp_version_compare(rows[j].before, rows[i].since) <= 0);
        }
    }
    for (unsigned i = 0; i < SP_DIFFERENCES; i++)
        assert_true(seen[i]);
}

/* The versions around each edge of the table. */
static void test_has(void **state)
{
    (void)state;
    static const struct {
        sp_difference_t difference;
        const char *version;
        bool holds;
    } rows[] = {
        {SP_KEY_FIELDS_REQUIRED, "4.0.3", true},       {SP_KEY_FIELDS_REQUIRED, "4.2.6", true},
        {SP_KEY_FIELDS_REQUIRED, "4.4.0", false},      {SP_KEY_FIELDS_REQUIRED, "6.0.27", false},
        {SP_KEY_SIZE_LIMITED, "4.0.3", true},          {SP_KEY_SIZE_LIMITED, "4.4.0", false},
        {SP_COMPOUND_HASHED, "4.0.3", false},          {SP_COMPOUND_HASHED, "4.4.0", true},
        {SP_COMPOUND_HASHED, "6.0.5", true},           {SP_MAX_KEY_IN_NO_CHUNK, "6.0.5", true},
        {SP_MAX_KEY_IN_NO_CHUNK, "6.0.24", false},     {SP_MAX_KEY_IN_NO_CHUNK, "6.0.27", false},
        {SP_ONE_UPDATE_NEEDS_KEY, "4.0.3", true},      {SP_ONE_UPDATE_NEEDS_KEY, "6.0.5", false},
        {SP_ONE_DELETE_NEEDS_KEY, "4.0.3", true},      {SP_ONE_DELETE_NEEDS_KEY, "6.0.5", true},
        {SP_ONE_DELETE_NEEDS_KEY, "6.0.24", false},    {SP_WRITE_TO_OWNERS_ONLY, "4.0.3", true},
        {SP_WRITE_TO_OWNERS_ONLY, "6.0.5", false},     {SP_HASHED_ABSENCE_UNBOUNDED, "4.0.3", true},
        {SP_HASHED_ABSENCE_UNBOUNDED, "6.0.5", false}, {SP_NOR_SIMPLIFIED, "4.0.3", false},
        {SP_NOR_SIMPLIFIED, "6.0.5", false},           {SP_NOR_SIMPLIFIED, "6.0.24", true},
        {SP_NOR_SIMPLIFIED, "6.0.27", true},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(sp_version_has(parse(rows[i].version), rows[i].difference), rows[i].holds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse),
        cmocka_unit_test(test_parse_refuses),
        cmocka_unit_test(test_parse_refuses_unknown_versions),
        cmocka_unit_test(test_compare),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
