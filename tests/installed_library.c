/* A stranger's program: asks the installed library for one hash and one owner. */
#include <shardproof/shardproof.h>

#include <stdio.h>
#include <string.h>

static const char layout_text[] =
    "{\"key\": {\"x\": 1}, \"chunks\": [[{\"x\": {\"$minKey\": 1}}, {\"x\": 5}, \"s1\"],"
    " [{\"x\": 5}, {\"x\": {\"$maxKey\": 1}}, \"s2\"]]}";

static int fail(const char *what, const sp_error_t *error)
{
    fprintf(stderr, "%s: %s\n", what, error->message);
    return 1;
}

int main(void)
{
    sp_error_t error = {0};
    sp_version_t version;
    bson_t doc, answer = BSON_INITIALIZER;
    bson_iter_t iter, found;
    if (!sp_version_parse("6.0.5", &version, &error))
        return fail("version", &error);
    sp_model_t *model = sp_model_new(version, &error);
    if (model == NULL || !sp_json_read(layout_text, strlen(layout_text), &doc, &error))
        return fail("model", &error);
    sp_layout_t *layout = sp_layout_new(&doc, &error);
    if (layout == NULL)
        return fail("layout", &error);

    bson_t *insert = BCON_NEW("x", BCON_DOUBLE(4.9999));
    sp_predict_insert(model, layout, insert, &answer);
    bool right = bson_iter_init(&iter, &answer) &&
                 bson_iter_find_descendant(&iter, "shards.0", &found) &&
                 strcmp(bson_iter_utf8(&found, NULL), "s1") == 0;

    bson_iter_init_find(&iter, insert, "x");
    sp_value_t value = sp_value_of(&iter);
    bson_reinit(&answer);
    sp_predict_hash(model, &value, &answer);
    /* 4.9999 hashes like 4: the value that mongod 6.0.5 gives for both. */
    right = right && bson_iter_init_find(&iter, &answer, "hash") &&
            strcmp(bson_iter_utf8(&iter, NULL), "2433984061343616404") == 0;

    bson_destroy(insert);
    bson_destroy(&answer);
    bson_destroy(&doc);
    sp_layout_free(layout);
    sp_model_free(model);
    return right ? 0 : 1;
}
