#include "gen_value.h"

#include "../oracles/number.h"
#include "gen_number.h"

#include <stdio.h>
#include <string.h>

enum { DEPTH_MAX = 4, CHILDREN_MAX = 4, CHAIN_MAX = 120, TEXT_MAX = 600 };

typedef struct text {
    char bytes[TEXT_MAX + 1];
    uint32_t size;
} text_t;

static void append_value(sp_producer_t *producer, bson_t *doc, const char *key, unsigned depth);

/* Mostly one to three letters of a small alphabet, so that equal and adjacent texts come about. */
static void draw_text(sp_producer_t *producer, bool may_hold_nul, text_t *text)
{
    static const char *const pieces[] = {
        "a", "b", "A", "B", "_", "z", "0", "é", "\x7f", "\n", "\xf0\x9f\x98\x80", "\"\\"};
    const uint32_t piece_count = sizeof pieces / sizeof *pieces;
    uint32_t count = sp_draw_below(producer, 5);
    if (sp_draw_one_in(producer, 64))
        count = sp_draw_below(producer, TEXT_MAX / 4);
    text->size = 0;
    for (uint32_t i = 0; i < count; i++) {
        const char *piece = pieces[sp_draw_below(producer, piece_count)];
        uint32_t size = (uint32_t)strlen(piece);
        if (text->size + size > TEXT_MAX)
            break;
        memcpy(text->bytes + text->size, piece, size);
        text->size += size;
    }
    if (may_hold_nul && text->size > 0 && sp_draw_one_in(producer, 32))
        text->bytes[sp_draw_below(producer, text->size)] = '\0';
    if (text->size > 0 &&
        sp_draw_one_in(producer, 64)) /* no UTF-8 any more, which servers let pass */
        text->bytes[sp_draw_below(producer, text->size)] = '\xff';
    text->bytes[text->size] = '\0';
}

static const char *draw_name(sp_producer_t *producer)
{
    static const char *const names[] = {"a", "b", "c", "", "é", "x.y", "$a", "0", "_id", "ab"};
    return names[sp_draw_below(producer, sizeof names / sizeof *names)];
}

static void append_document(sp_producer_t *producer, bson_t *doc, const char *key, unsigned depth)
{
    bson_t inner;
    BSON_APPEND_DOCUMENT_BEGIN(doc, key, &inner);
    uint32_t count = sp_draw_below(producer, CHILDREN_MAX);
    for (uint32_t i = 0; i < count; i++)
        append_value(producer, &inner, draw_name(producer), depth + 1);
    bson_append_document_end(doc, &inner);
}

static void append_array(sp_producer_t *producer, bson_t *doc, const char *key, unsigned depth)
{
    bson_t inner;
    BSON_APPEND_ARRAY_BEGIN(doc, key, &inner);
    uint32_t count = sp_draw_below(producer, CHILDREN_MAX);
    for (uint32_t i = 0; i < count; i++) {
        char index[16];
        snprintf(index, sizeof index, "%u", i);
        append_value(producer, &inner, index, depth + 1);
    }
    bson_append_array_end(doc, &inner);
}

/* A chain of documents and arrays, each holding the next: deep nesting with few bytes drawn. Built
 * from the inside outwards. */
static void append_chain(sp_producer_t *producer, bson_t *doc, const char *key)
{
    bson_t inner = BSON_INITIALIZER;
    append_value(producer, &inner, "0", DEPTH_MAX);
    uint32_t links = sp_draw_below(producer, CHAIN_MAX);
    for (uint32_t i = 0; i < links; i++) {
        bson_t outer = BSON_INITIALIZER;
        if (sp_draw_one_in(producer, 2))
            BSON_APPEND_ARRAY(&outer, "0", &inner);
        else
            BSON_APPEND_DOCUMENT(&outer, "0", &inner);
        bson_destroy(&inner);
        bson_steal(&inner, &outer);
    }
    BSON_APPEND_DOCUMENT(doc, key, &inner);
    bson_destroy(&inner);
}

/* Subtype 7 is a compressed column. Since 6.0.24 at the latest a message with one that is none is
 * refused at the door (378), so that nothing can be asked about it: these are columns. */
static void append_column(sp_producer_t *producer, bson_t *doc, const char *key)
{
    static const uint8_t columns[][16] = {
        {0},                            /* without a value */
        {0x0a, 0, 0},                   /* a null */
        {0x10, 0, 1, 0, 0, 0, 0},       /* an int32 */
        {0x80, 0, 0, 0, 0, 0, 0, 0, 0}, /* a block of differences */
    };
    static const uint32_t sizes[] = {1, 3, 7, 10};
    uint32_t choice = sp_draw_below(producer, sizeof sizes / sizeof *sizes);
    BSON_APPEND_BINARY(doc, key, (bson_subtype_t)7, columns[choice], sizes[choice]);
}

static void append_binary(sp_producer_t *producer, bson_t *doc, const char *key)
{
    static const bson_subtype_t subtypes[] = {
        BSON_SUBTYPE_BINARY,
        BSON_SUBTYPE_FUNCTION,
        BSON_SUBTYPE_BINARY_DEPRECATED,
        BSON_SUBTYPE_UUID_DEPRECATED,
        BSON_SUBTYPE_UUID,
        BSON_SUBTYPE_MD5,
        BSON_SUBTYPE_USER,
    };
    if (sp_draw_one_in(producer, 16)) {
        append_column(producer, doc, key);
        return;
    }
    uint8_t bytes[64];
    uint32_t size = sp_draw_one_in(producer, 4) ? 16 : sp_draw_below(producer, 6);
    sp_draw_bytes(producer, bytes, size);
    bson_subtype_t subtype = subtypes[sp_draw_below(producer, sizeof subtypes / sizeof *subtypes)];
    BSON_APPEND_BINARY(doc, key, subtype, bytes, size);
}

static void append_oid(sp_producer_t *producer, bson_t *doc, const char *key)
{
    bson_oid_t oid;
    memset(oid.bytes, (int)sp_draw_below(producer, 3), sizeof oid.bytes);
    if (sp_draw_one_in(producer, 2))
        sp_draw_bytes(producer, oid.bytes, sizeof oid.bytes);
    BSON_APPEND_OID(doc, key, &oid);
}

static void append_date(sp_producer_t *producer, bson_t *doc, const char *key)
{
    static const int64_t dates[] = {0, 1600000000000, -1, INT64_MAX, INT64_MIN, 253402300800000};
    int64_t date = dates[sp_draw_below(producer, sizeof dates / sizeof *dates)];
    if (sp_draw_one_in(producer, 3))
        date = (int64_t)sp_draw_bits(producer, 8);
    BSON_APPEND_DATE_TIME(doc, key, date);
}

static void append_timestamp(sp_producer_t *producer, bson_t *doc, const char *key)
{
    static const uint32_t parts[] = {0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff};
    uint32_t seconds = parts[sp_draw_below(producer, sizeof parts / sizeof *parts)];
    uint32_t count = parts[sp_draw_below(producer, sizeof parts / sizeof *parts)];
    BSON_APPEND_TIMESTAMP(doc, key, seconds, count);
}

static void append_regex(sp_producer_t *producer, bson_t *doc, const char *key)
{
    static const char *const options[] = {"", "i", "im", "x", "s"};
    text_t pattern;
    draw_text(producer, false, &pattern);
    BSON_APPEND_REGEX(doc, key, pattern.bytes,
                      options[sp_draw_below(producer, sizeof options / sizeof *options)]);
}

static void append_dbpointer(sp_producer_t *producer, bson_t *doc, const char *key)
{
    bson_oid_t oid;
    memset(oid.bytes, (int)sp_draw_below(producer, 3), sizeof oid.bytes);
    text_t name;
    draw_text(producer, false, &name);
    BSON_APPEND_DBPOINTER(doc, key, name.bytes, &oid);
}

static void append_scoped_code(sp_producer_t *producer, bson_t *doc, const char *key,
                               unsigned depth)
{
    bson_t scope = BSON_INITIALIZER;
    uint32_t count = depth < DEPTH_MAX ? sp_draw_below(producer, 3) : 0;
    for (uint32_t i = 0; i < count; i++)
        append_value(producer, &scope, draw_name(producer), depth + 1);
    text_t code;
    draw_text(producer, false, &code);
    BSON_APPEND_CODE_WITH_SCOPE(doc, key, code.bytes, &scope);
    bson_destroy(&scope);
}

static void append_text(sp_producer_t *producer, bson_t *doc, const char *key, bson_type_t type)
{
    text_t text;
    draw_text(producer, type != BSON_TYPE_CODE, &text);
    if (type == BSON_TYPE_SYMBOL)
        bson_append_symbol(doc, key, -1, text.bytes, (int)text.size);
    else if (type == BSON_TYPE_CODE)
        BSON_APPEND_CODE(doc, key, text.bytes);
    else
        bson_append_utf8(doc, key, -1, text.bytes, (int)text.size);
}

/* The rare types, each by its own draw. */
static void append_rare(sp_producer_t *producer, bson_t *doc, const char *key, unsigned depth)
{
    switch (sp_draw_below(producer, 12)) {
    case 0:
        BSON_APPEND_NULL(doc, key);
        break;
    case 1:
        BSON_APPEND_UNDEFINED(doc, key);
        break;
    case 2:
        BSON_APPEND_MINKEY(doc, key);
        break;
    case 3:
        BSON_APPEND_MAXKEY(doc, key);
        break;
    case 4:
        append_text(producer, doc, key, BSON_TYPE_SYMBOL);
        break;
    case 5:
        append_text(producer, doc, key, BSON_TYPE_CODE);
        break;
    case 6:
        append_scoped_code(producer, doc, key, depth);
        break;
    case 7:
        append_dbpointer(producer, doc, key);
        break;
    case 8:
        append_regex(producer, doc, key);
        break;
    case 9:
        append_timestamp(producer, doc, key);
        break;
    case 10:
        if (depth == 0 && sp_draw_one_in(producer, 8))
            append_chain(producer, doc, key);
        else
            BSON_APPEND_BOOL(doc, key, true);
        break;
    default:
        BSON_APPEND_BOOL(doc, key, sp_draw_one_in(producer, 2));
        break;
    }
}

static void append_value(sp_producer_t *producer, bson_t *doc, const char *key, unsigned depth)
{
    switch (sp_draw_below(producer, 16)) {
    case 8:
    case 9:
        append_text(producer, doc, key, BSON_TYPE_UTF8);
        break;
    case 10:
        if (depth < DEPTH_MAX)
            append_document(producer, doc, key, depth);
        else
            append_rare(producer, doc, key, depth);
        break;
    case 11:
        if (depth < DEPTH_MAX)
            append_array(producer, doc, key, depth);
        else
            append_rare(producer, doc, key, depth);
        break;
    case 12:
        append_binary(producer, doc, key);
        break;
    case 13:
        if (sp_draw_one_in(producer, 2))
            append_oid(producer, doc, key);
        else
            append_date(producer, doc, key);
        break;
    case 14:
    case 15:
        append_rare(producer, doc, key, depth);
        break;
    default:
        sp_gen_number(producer, doc, key);
        break;
    }
}

void sp_gen_value(sp_producer_t *producer, bson_t *doc, const char *key)
{
    append_value(producer, doc, key, 0);
}

static void append_near_text(sp_producer_t *producer, const sp_value_t *like, bson_t *doc,
                             const char *key)
{
    uint32_t size;
    const char *text = sp_value_text(like, &size);
    uint32_t choice = sp_draw_below(producer, 4);
    if (choice == 0 || size >= TEXT_MAX) {
        bson_append_utf8(doc, key, -1, text, (int)size);
    } else if (choice == 1) {
        bson_append_symbol(doc, key, -1, text, (int)size);
    } else if (choice == 2) {
        bson_append_utf8(doc, key, -1, text, (int)(size > 0 ? size - 1 : 0));
    } else {
        char longer[TEXT_MAX + 1];
        memcpy(longer, text, size);
        longer[size] = (char)('\0' + sp_draw_below(producer, 2));
        bson_append_utf8(doc, key, -1, longer, (int)size + 1);
    }
}

static void append_near_number(sp_producer_t *producer, const sp_value_t *like, bson_t *doc,
                               const char *key)
{
    if (like->type == BSON_TYPE_DOUBLE && sp_draw_one_in(producer, 2))
        sp_gen_number_near_double(producer, sp_value_double(like), doc, key);
    else
        sp_gen_number_near(producer, sp_number_for_hash(like), doc, key);
}

static void append_near_children(sp_producer_t *producer, const sp_value_t *like, bson_t *doc,
                                 const char *key)
{
    bson_t inner = BSON_INITIALIZER;
    bson_iter_t iter;
    bool shorter = sp_draw_one_in(producer, 8);
    if (sp_value_children(like, &iter)) {
        while (bson_iter_next(&iter)) {
            bson_iter_t ahead = iter;
            if (shorter && !bson_iter_next(&ahead))
                break;
            sp_value_t child = sp_value_of(&iter);
            if (sp_value_is_number(&child) && sp_draw_one_in(producer, 2))
                append_near_number(producer, &child, &inner, bson_iter_key(&iter));
            else
                sp_value_append(&inner, bson_iter_key(&iter), &child);
        }
    }
    if (like->type == BSON_TYPE_ARRAY)
        BSON_APPEND_ARRAY(doc, key, &inner);
    else
        BSON_APPEND_DOCUMENT(doc, key, &inner);
    bson_destroy(&inner);
}

/* The bytes of the value in which any bit may be flipped, but for what flip_bit refuses. */
static void find_loose_bytes(const sp_value_t *value, uint32_t *start, uint32_t *size)
{
    *start = 0;
    *size = 0;
    switch (value->type) {
    case BSON_TYPE_OID:
    case BSON_TYPE_DATE_TIME:
    case BSON_TYPE_TIMESTAMP:
        *size = value->size;
        break;
    case BSON_TYPE_REGEX:
        *size = (uint32_t)strlen((const char *)value->data);
        break;
    case BSON_TYPE_BINARY: /* behind the length: the subtype and the bytes */
        if (value->data[4] == 7)
            break; /* a column would be one no more */
        *start = 4;
        *size = value->size - 4;
        break;
    case BSON_TYPE_DBPOINTER:
    case BSON_TYPE_CODE:
    case BSON_TYPE_SYMBOL:
        *start = 4;
        *size = value->size - 4;
        break;
    default:
        break;
    }
}

static void flip_bit(const sp_value_t *value, uint8_t *byte, uint32_t bit)
{
    uint8_t flipped = (uint8_t)(*byte ^ 1u << bit);
    bool is_subtype = value->type == BSON_TYPE_BINARY && byte == value->data + 4;
    /* Subtype 2 asks for an inner length and 7 for a column; a NUL ends names. */
    if (is_subtype && (*byte == 2 || flipped == 2 || flipped == 7))
        return;
    bool is_text = value->type == BSON_TYPE_REGEX || value->type == BSON_TYPE_CODE ||
                   value->type == BSON_TYPE_SYMBOL ||
                   (value->type == BSON_TYPE_DBPOINTER && byte < value->data + value->size - 12);
    if (!is_text || (*byte != 0 && flipped != 0))
        *byte = flipped;
}

static void append_near_bytes(sp_producer_t *producer, const sp_value_t *like, bson_t *doc,
                              const char *key)
{
    uint32_t start, size;
    find_loose_bytes(like, &start, &size);
    if (size == 0) {
        sp_value_append(doc, key, like);
        return;
    }
    uint8_t *bytes = bson_malloc(like->size);
    memcpy(bytes, like->data, like->size);
    const sp_value_t copy = {like->type, like->size, bytes};
    uint32_t place = start + sp_draw_below(producer, size);
    if (like->type == BSON_TYPE_BINARY && bytes[4] == 2 && place < 9)
        place = 4; /* subtype 2's inner length must stay */
    flip_bit(&copy, bytes + place, sp_draw_below(producer, 8));
    sp_value_append(doc, key, &copy);
    bson_free(bytes);
}

void sp_gen_value_near(sp_producer_t *producer, const sp_value_t *like, bson_t *doc,
                       const char *key)
{
    if (sp_value_is_number(like) && !sp_draw_one_in(producer, 4))
        append_near_number(producer, like, doc, key);
    else if (like->type == BSON_TYPE_UTF8)
        append_near_text(producer, like, doc, key);
    else if (like->type == BSON_TYPE_DOCUMENT || like->type == BSON_TYPE_ARRAY)
        append_near_children(producer, like, doc, key);
    else if (sp_draw_one_in(producer, 4))
        sp_value_append(doc, key, like);
    else if (like->type == BSON_TYPE_BOOL)
        BSON_APPEND_BOOL(doc, key, like->data[0] == 0);
    else
        append_near_bytes(producer, like, doc, key);
}
