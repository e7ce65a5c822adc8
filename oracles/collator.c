#include "collator.h"

#include <assert.h>
#include <string.h>
#include <unicode/ucol.h>
#include <unicode/ustring.h>

struct sp_collator {
    UCollator *icu;
};

/* What the words and switches of a collation document are to ICU. */
static const struct setting {
    const char *field, *word;
    UColAttribute attribute;
    UColAttributeValue value;
} settings[] = {
    {"caseFirst", "upper", UCOL_CASE_FIRST, UCOL_UPPER_FIRST},
    {"caseFirst", "lower", UCOL_CASE_FIRST, UCOL_LOWER_FIRST},
    {"caseFirst", "off", UCOL_CASE_FIRST, UCOL_OFF},
    {"alternate", "shifted", UCOL_ALTERNATE_HANDLING, UCOL_SHIFTED},
    {"alternate", "non-ignorable", UCOL_ALTERNATE_HANDLING, UCOL_NON_IGNORABLE},
    {"caseLevel", NULL, UCOL_CASE_LEVEL, UCOL_ON},
    {"numericOrdering", NULL, UCOL_NUMERIC_COLLATION, UCOL_ON},
    {"normalization", NULL, UCOL_NORMALIZATION_MODE, UCOL_ON},
    {"backwards", NULL, UCOL_FRENCH_COLLATION, UCOL_ON},
};

static void apply_setting(UCollator *icu, const struct setting *setting, const bson_iter_t *field,
                          UErrorCode *status)
{
    if (setting->word != NULL) {
        if (BSON_ITER_HOLDS_UTF8(field) && strcmp(bson_iter_utf8(field, NULL), setting->word) == 0)
            ucol_setAttribute(icu, setting->attribute, setting->value, status);
    } else {
        ucol_setAttribute(icu, setting->attribute,
                          bson_iter_as_bool(field) ? setting->value : UCOL_OFF, status);
    }
}

static void apply_strength(UCollator *icu, int64_t strength, UErrorCode *status)
{
    static const UColAttributeValue values[] = {UCOL_PRIMARY, UCOL_SECONDARY, UCOL_TERTIARY,
                                                UCOL_QUATERNARY, UCOL_IDENTICAL};
    if (strength >= 1 && strength <= (int64_t)(sizeof values / sizeof *values))
        ucol_setAttribute(icu, UCOL_STRENGTH, values[strength - 1], status);
}

static void apply_settings(UCollator *icu, const bson_t *collation, UErrorCode *status)
{
    bson_iter_t field;
    bool sound = bson_iter_init(&field, collation);
    assert(sound);
    while (bson_iter_next(&field)) {
        const char *name = bson_iter_key(&field);
        if (strcmp(name, "strength") == 0)
            apply_strength(icu, bson_iter_as_int64(&field), status);
        if (strcmp(name, "maxVariable") == 0 && BSON_ITER_HOLDS_UTF8(&field))
            ucol_setMaxVariable(icu,
                                strcmp(bson_iter_utf8(&field, NULL), "space") == 0
                                    ? UCOL_REORDER_CODE_SPACE
                                    : UCOL_REORDER_CODE_PUNCTUATION,
                                status);
        for (unsigned i = 0; i < sizeof settings / sizeof *settings; i++) {
            if (strcmp(name, settings[i].field) == 0)
                apply_setting(icu, &settings[i], &field, status);
        }
    }
}

sp_collator_t *sp_collator_new(const bson_t *collation, sp_error_t *error)
{
    bson_iter_t locale;
    UErrorCode status = U_ZERO_ERROR;
    UCollator *icu = NULL;
    if (bson_iter_init_find(&locale, collation, "locale") && BSON_ITER_HOLDS_UTF8(&locale)) {
        icu = ucol_open(bson_iter_utf8(&locale, NULL), &status);
        if (U_SUCCESS(status))
            apply_settings(icu, collation, &status);
    }
    if (icu == NULL || U_FAILURE(status)) {
        ucol_close(icu);
        sp_error_set(error, SP_ERROR_INPUT, 0, "ICU does not know this collation: %s",
                     icu == NULL ? "it names no locale" : u_errorName(status));
        return NULL;
    }
    sp_collator_t *collator = bson_malloc0(sizeof *collator);
    collator->icu = icu;
    return collator;
}

void sp_collator_free(sp_collator_t *collator)
{
    if (collator == NULL)
        return;
    ucol_close(collator->icu);
    bson_free(collator);
}

int sp_collator_compare(const sp_collator_t *collator, const char *a, uint32_t a_size,
                        const char *b, uint32_t b_size)
{
    UErrorCode status = U_ZERO_ERROR;
    assert(a_size <= INT32_MAX && b_size <= INT32_MAX);
    UCollationResult order =
        ucol_strcollUTF8(collator->icu, a, (int32_t)a_size, b, (int32_t)b_size, &status);
    assert(U_SUCCESS(status));
    return order == UCOL_EQUAL ? 0 : order == UCOL_LESS ? -1 : 1;
}

char *sp_collator_key(const sp_collator_t *collator, const char *text, uint32_t size,
                      size_t *key_size)
{
    UErrorCode status = U_ZERO_ERROR;
    const UChar32 replacement = 0xfffd;
    int32_t length = 0;
    assert(size <= INT32_MAX / 2);
    /* No text has more UTF-16 units than bytes. */
    UChar *units = bson_malloc(((size_t)size + 1) * sizeof *units);
    u_strFromUTF8WithSub(units, (int32_t)size + 1, &length, text, (int32_t)size, replacement, NULL,
                         &status);
    assert(U_SUCCESS(status));
    int32_t needed = ucol_getSortKey(collator->icu, units, length, NULL, 0);
    assert(needed > 0);
    uint8_t *key = bson_malloc((size_t)needed);
    ucol_getSortKey(collator->icu, units, length, key, needed);
    bson_free(units);
    *key_size = (size_t)needed - 1;
    return (char *)key;
}
