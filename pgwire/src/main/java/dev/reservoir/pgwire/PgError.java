package dev.reservoir.pgwire;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * An error of the PostgreSQL protocol. Immutable.
 *
 * @param fields its fields, by the letters that the protocol has for them
 */
public record PgError(Map<Character, String> fields) {
    public PgError {
        fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
    }

    /** An error after which the connection stays open. */
    public static PgError error(String code, String message) {
        return of("ERROR", code, message);
    }

    /** An error after which the connection is closed. */
    public static PgError fatal(String code, String message) {
        return of("FATAL", code, message);
    }

    private static PgError of(String severity, String code, String message) {
        Map<Character, String> fields = new LinkedHashMap<>();
        fields.put('S', severity);
        fields.put('V', severity);
        fields.put('C', code);
        fields.put('M', message);
        return new PgError(fields);
    }

    public PgError withHint(String hint) {
        return with('H', hint);
    }

    /** The same error at a position in the SQL. Positions count characters from 1. */
    public PgError at(int position) {
        return with('P', Integer.toString(position));
    }

    /** The same error with its position moved by this many characters. */
    public PgError shifted(int characters) {
        String position = fields.get('P');
        return position == null || characters == 0 ? this : at(Integer.parseInt(position) + characters);
    }

    /** The same error without what would show that a server runs the statement in another form. */
    public PgError withoutContext() {
        Map<Character, String> changed = new LinkedHashMap<>(fields);
        changed.keySet().removeAll(Set.of('W', 'q', 'p', 'P'));
        return new PgError(changed);
    }

    private PgError with(char letter, String value) {
        Map<Character, String> changed = new LinkedHashMap<>(fields);
        changed.put(letter, value);
        return new PgError(changed);
    }

    /** The SQLSTATE. */
    public String code() {
        return fields.getOrDefault('C', "XX000");
    }

    public String message() {
        return fields.getOrDefault('M', "");
    }

    /** Whether the connection is closed after it. */
    public boolean isFatal() {
        return "FATAL".equals(fields.get('S'));
    }

    @Override
    public String toString() {
        return code() + " " + message();
    }
}
