#include "update_rows.h"

#include "../oracles/update.h"
#include "from_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void assert_refused(const sp_update_row_t *row, sp_update_outcome_t outcome,
                           const sp_error_t *error)
{
    if (row->outcome != outcome || error->domain != SP_ERROR_RULE || error->code != row->code)
        fail_msg("%s on %s: %s with %d, not %d (%s)", row->update, row->doc,
                 outcome == SP_UPDATE_REFUSED ? "refused" : "failed", error->code, row->code,
                 error->message);
}

static void assert_done(const sp_update_row_t *row, const bson_t *after, bool changed)
{
    if (row->outcome != SP_UPDATE_DONE && row->outcome != SP_UPDATE_NO_OP)
        fail_msg("%s on %s: done, not %d", row->update, row->doc, row->code);
    bson_t *wanted = sp_doc_from(row->after);
    if (!bson_equal(after, wanted)) {
        char *text = sp_text_of(after);
        fail_msg("%s on %s: %s, not %s", row->update, row->doc, text, row->after);
    }
    bson_destroy(wanted);
    if (changed != (row->outcome == SP_UPDATE_DONE))
        fail_msg("%s on %s: counts wrongly as %schanged", row->update, row->doc,
                 changed ? "" : "un");
}

static void assert_row(const sp_update_row_t *row, const char *version_text)
{
    sp_version_t version;
    sp_error_t error = {0};
    bson_t *holder, *doc = sp_doc_from(row->doc);
    sp_value_t update = sp_value_from(row->update, &holder);
    bson_t after = BSON_INITIALIZER;
    bool changed;
    assert_true(sp_version_parse(version_text, &version, NULL));
    if (!sp_update_check(&update, false, version, &error))
        assert_refused(row, SP_UPDATE_REFUSED, &error);
    else if (!sp_update_apply(&update, doc, version, &after, &changed, &error))
        assert_refused(row, SP_UPDATE_FAILED, &error);
    else
        assert_done(row, &after, changed);
    bson_destroy(&after);
    bson_destroy(holder);
    bson_destroy(doc);
}

void sp_assert_update_rows(const sp_update_row_t *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert_row(&rows[i], "6.0.5");
        assert_row(&rows[i], "6.0.27");
    }
}
