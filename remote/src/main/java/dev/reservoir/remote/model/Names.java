package dev.reservoir.remote.model;

import dev.reservoir.core.util.NearestName;
import java.util.List;

/** Checks names and keys of definitions. */
final class Names {
    /** Longest name. The names of PostgreSQL's servers and users are shorter too. */
    private static final int LENGTH_MAX = 128;

    private Names() {}

    static void check(String what, String name) throws RemoteException {
        if (name.isBlank() || name.length() > LENGTH_MAX || name.chars().anyMatch(Character::isISOControl)) {
            throw new RemoteException(
                    RemoteErrorCode.INVALID_OPTION,
                    what + " is '" + shown(name) + "'; allowed: 1 to " + LENGTH_MAX
                            + " characters, no control characters, not all spaces");
        }
    }

    static RemoteException unknownOption(String of, String key, List<RemoteOption<?>> known) {
        List<String> keys = known.stream().map(RemoteOption::key).toList();
        return new RemoteException(
                RemoteErrorCode.INVALID_OPTION,
                "a " + of + " has no option " + shown(key) + "; nearest: " + NearestName.of(key, keys)
                        + ". An option for the driver begins with " + ServerOptions.DRIVER_PREFIX);
    }

    /** The text, cut if it is too long for a message. */
    static String shown(String text) {
        return text.length() <= LENGTH_MAX ? text : text.substring(0, LENGTH_MAX) + "...";
    }
}
