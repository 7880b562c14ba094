package dev.reservoir.dsql.id;

import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.UUID;

/**
 * Converts UUIDs to 16 bytes or text, and back. Keys that are {@code bytea} in other databases are {@code uuid} in
 * Aurora DSQL. Never blocks.
 */
public final class Uuids {
    private static final int BYTES = 16;
    private static final int DIGITS = 32;
    private static final int SHOWN_MAX = 60;
    private static final String URN = "urn:uuid:";

    private Uuids() {}

    /** Returns the 16 bytes of a UUID, most significant byte first. */
    public static byte[] toBytes(UUID uuid) {
        return ByteBuffer.allocate(BYTES)
                .putLong(uuid.getMostSignificantBits())
                .putLong(uuid.getLeastSignificantBits())
                .array();
    }

    /**
     * Returns the UUID of these bytes, most significant byte first.
     *
     * @throws IllegalArgumentException if there are not exactly 16 bytes
     */
    public static UUID fromBytes(byte[] bytes) {
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException("UUID has " + bytes.length + " bytes; allowed: " + BYTES);
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new UUID(buffer.getLong(), buffer.getLong());
    }

    /** Returns the text form, such as {@code 123e4567-e89b-12d3-a456-426614174000}. */
    public static String toText(UUID uuid) {
        return uuid.toString();
    }

    /**
     * Parses a UUID: 32 hexadecimal digits in upper or lower case, with or without the hyphens. The text may be in
     * braces, after {@code urn:uuid:}, or surrounded by white space.
     *
     * @throws IllegalArgumentException if the text is not a UUID; the message says where it is wrong
     */
    public static UUID parse(String text) {
        String rest = text.strip();
        if (rest.toLowerCase(Locale.ROOT).startsWith(URN)) {
            rest = rest.substring(URN.length());
        }
        if (rest.startsWith("{") && rest.endsWith("}")) {
            rest = rest.substring(1, rest.length() - 1);
        }
        if (rest.length() == DIGITS + 4) {
            for (int place : new int[] {8, 13, 18, 23}) {
                if (rest.charAt(place) != '-') {
                    throw refused(text, "no hyphen after digit " + (place - hyphensBefore(place)));
                }
            }
            rest = rest.replace("-", "");
        }
        if (rest.length() != DIGITS) {
            throw refused(text, rest.length() + " characters instead of " + DIGITS + " digits");
        }
        return new UUID(hex(text, rest, 0), hex(text, rest, BYTES));
    }

    /** Returns how many hyphens stand before this position. */
    private static int hyphensBefore(int place) {
        return (place - 8) / 5;
    }

    private static long hex(String text, String digits, int from) {
        long value = 0;
        for (int i = from; i < from + BYTES; i++) {
            char c = digits.charAt(i);
            int digit = c < 128 ? Character.digit(c, 16) : -1;
            if (digit < 0) {
                throw refused(text, "\"" + c + "\" is not a hexadecimal digit");
            }
            value = value << 4 | digit;
        }
        return value;
    }

    private static IllegalArgumentException refused(String text, String why) {
        String shown = text.length() > SHOWN_MAX ? text.substring(0, SHOWN_MAX) + "..." : text;
        return new IllegalArgumentException("UUID is \"" + shown + "\" (" + why
                + "); allowed: 32 hexadecimal digits, with hyphens as 8-4-4-4-12 or without");
    }
}
