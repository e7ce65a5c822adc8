#include "iso_date.h"

typedef struct cursor {
    const char *at;
    const char *end;
    bool failed; /* sticks, so that a form is read in one go and checked once */
} cursor_t;

static bool next_is(const cursor_t *cursor, char byte)
{
    return cursor->at < cursor->end && *cursor->at == byte;
}

static void take(cursor_t *cursor, char byte)
{
    if (next_is(cursor, byte))
        cursor->at++;
    else
        cursor->failed = true;
}

static bool next_is_digit(const cursor_t *cursor)
{
    return cursor->at < cursor->end && *cursor->at >= '0' && *cursor->at <= '9';
}

static int take_digits(cursor_t *cursor, int count)
{
    int number = 0;
    for (int i = 0; i < count; i++) {
        if (!next_is_digit(cursor)) {
            cursor->failed = true;
            return 0;
        }
        number = number * 10 + (*cursor->at++ - '0');
    }
    return number;
}

static int take_fraction(cursor_t *cursor)
{
    if (!next_is(cursor, '.'))
        return 0;
    cursor->at++;
    int number = take_digits(cursor, 1) * 100;
    for (int scale = 10; scale > 0 && next_is_digit(cursor); scale /= 10)
        number += take_digits(cursor, 1) * scale;
    return number;
}

/* In minutes; hours and minutes out of range fail. */
static int take_offset(cursor_t *cursor)
{
    if (next_is(cursor, 'Z')) {
        cursor->at++;
        return 0;
    }
    int sign = next_is(cursor, '-') ? -1 : 1;
    take(cursor, sign < 0 ? '-' : '+');
    int hours = take_digits(cursor, 2);
    int minutes = 0;
    if (cursor->at < cursor->end) {
        if (next_is(cursor, ':'))
            cursor->at++;
        minutes = take_digits(cursor, 2);
    }
    if (hours > 23 || minutes > 59)
        cursor->failed = true;
    return sign * (hours * 60 + minutes);
}

static bool is_leap(int year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int days_in_month(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month - 1] + (month == 2 && is_leap(year));
}

/* Since 1970-01-01 in the Gregorian calendar, also before its introduction. */
static int64_t days_since_epoch(int year, int month, int day)
{
    int before =
        year - 1; /* -1 for the year 0, which is a leap year: its own days come from the loop */
    int64_t leaps = before < 0 ? -1 : before / 4 - before / 100 + before / 400;
    int64_t days = (int64_t)before * 365 + leaps;
    for (int m = 1; m < month; m++)
        days += days_in_month(year, m);
    const int64_t epoch = INT64_C(719162); /* of 1970-01-01 after 0001-01-01 */
    return days + day - 1 - epoch;
}

bool sp_iso_date_read(const char *text, size_t size, int64_t *milliseconds, const char **why)
{
    cursor_t cursor = {.at = text, .end = text + size};
    int year = take_digits(&cursor, 4);
    take(&cursor, '-');
    int month = take_digits(&cursor, 2);
    take(&cursor, '-');
    int day = take_digits(&cursor, 2);
    take(&cursor, 'T');
    int hour = take_digits(&cursor, 2);
    take(&cursor, ':');
    int minute = take_digits(&cursor, 2);
    take(&cursor, ':');
    int second = take_digits(&cursor, 2);
    int fraction = take_fraction(&cursor);
    int offset = take_offset(&cursor);
    if (cursor.failed || cursor.at != cursor.end) {
        *why =
            "is no date: expected YYYY-MM-DDTHH:MM:SS, maybe .SSS, then Z or an offset as +HH:MM";
        return false;
    }
    if (month < 1 || month > 12 || day < 1 || day > days_in_month(year, month)) {
        *why = "is no day of the calendar";
        return false;
    }
    if (hour > 23 || minute > 59 || second > 59) {
        *why = "is no time of day: at most 23:59:59, leap seconds cannot be told";
        return false;
    }
    int64_t minutes = (days_since_epoch(year, month, day) * 24 + hour) * 60 + minute - offset;
    *milliseconds = (minutes * 60 + second) * 1000 + fraction;
    return true;
}
