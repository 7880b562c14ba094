package dev.reservoir.flightsql.jdbc;

import java.sql.Date;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Calendar;
import org.jspecify.annotations.Nullable;

/** Converts plain values to the types that only JDBC has, and dates and times to one another. */
final class JdbcValues {
    private JdbcValues() {}

    /**
     * The value as this type, or null if this class does not know how. A value without a time zone is taken to be in
     * that of the calendar, or of the JVM if there is none.
     */
    static <T> @Nullable T convert(@Nullable Object value, Class<T> type, @Nullable Calendar calendar) {
        if (value == null || (type.isInstance(value) && calendar == null)) {
            return type.cast(value);
        }
        if (type == Boolean.class && value instanceof Number number) {
            return number.toString().matches("[01]") ? type.cast(number.intValue() == 1) : null;
        }
        Object local = calendar == null ? ofFields(value, type) : null;
        if (local != null) {
            return type.cast(local);
        }
        ZoneId zone = calendar == null
                ? ZoneId.systemDefault()
                : calendar.getTimeZone().toZoneId();
        return type.cast(temporal(value, type, zone));
    }

    /**
     * A date without a time zone as one of JDBC with the same year, month and day. Made of its moment, it would show
     * other days before 1582, because the classes of JDBC have the Julian calendar there.
     */
    private static @Nullable Object ofFields(Object value, Class<?> type) {
        LocalDateTime local = value instanceof LocalDateTime both ? both : null;
        if (value instanceof LocalDate date) {
            local = date.atStartOfDay();
        }
        if (local != null && type == Timestamp.class) {
            return Timestamp.valueOf(local);
        }
        return local != null && type == Date.class ? Date.valueOf(local.toLocalDate()) : null;
    }

    private static @Nullable Object temporal(Object value, Class<?> type, ZoneId zone) {
        LocalTime time = value instanceof LocalTime local ? local : null;
        ZonedDateTime moment = moment(value, zone);
        if (moment == null && time == null) {
            return null;
        }
        if (type == Time.class || type == LocalTime.class) {
            LocalTime local = time != null ? time : moment(moment).toLocalTime();
            // A time of JDBC is a moment of the first day of 1970, in milliseconds.
            return type == LocalTime.class
                    ? local
                    : new Time(local.atDate(LocalDate.EPOCH)
                            .atZone(zone)
                            .toInstant()
                            .toEpochMilli());
        }
        return moment == null ? null : ofMoment(moment, value instanceof Instant, type, zone);
    }

    private static ZonedDateTime moment(@Nullable ZonedDateTime moment) {
        if (moment == null) {
            throw new IllegalStateException("bug: neither a time nor a moment");
        }
        return moment;
    }

    private static @Nullable Object ofMoment(ZonedDateTime moment, boolean hasZone, Class<?> type, ZoneId zone) {
        if (type == Timestamp.class) {
            return Timestamp.from(moment.toInstant());
        } else if (type == Date.class) {
            return new Date(moment.toLocalDate().atStartOfDay(zone).toInstant().toEpochMilli());
        } else if (type == LocalDate.class) {
            return moment.toLocalDate();
        } else if (type == LocalDateTime.class) {
            return moment.toLocalDateTime();
        } else if (type == OffsetDateTime.class) {
            return hasZone ? moment.toInstant().atOffset(ZoneOffset.UTC) : moment.toOffsetDateTime();
        } else if (type == ZonedDateTime.class) {
            return moment;
        }
        return type == Instant.class ? moment.toInstant() : null;
    }

    private static @Nullable ZonedDateTime moment(Object value, ZoneId zone) {
        if (value instanceof LocalDateTime local) {
            return local.atZone(zone);
        } else if (value instanceof LocalDate date) {
            return date.atStartOfDay(zone);
        }
        return value instanceof Instant instant ? instant.atZone(zone) : null;
    }
}
