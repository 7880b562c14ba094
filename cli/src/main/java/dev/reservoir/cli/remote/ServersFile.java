package dev.reservoir.cli.remote;

import dev.reservoir.cli.console.CommandFailedException;
import dev.reservoir.cli.console.MisuseException;
import dev.reservoir.cli.console.RefusedInputException;
import dev.reservoir.core.util.Text;
import dev.reservoir.remote.model.RemoteErrorCode;
import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.sql.CatalogScript;
import dev.reservoir.remote.sql.CatalogSession;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The file with the statements of a registry, and the user that executes them. */
record ServersFile(CatalogScript script) {
    /** The user that {@code CURRENT_USER} means if none is given. */
    static final String DEFAULT_USER = "reservoir";

    /** The errors that only another file can avoid. */
    private static final Set<RemoteErrorCode> MISTAKES = EnumSet.of(
            RemoteErrorCode.SYNTAX_ERROR,
            RemoteErrorCode.INVALID_OPTION,
            RemoteErrorCode.SERVER_NOT_FOUND,
            RemoteErrorCode.USER_MAPPING_NOT_FOUND);

    /**
     * Reads the file. Blocks.
     *
     * @param given the words of the command line that name a file
     */
    static ServersFile read(@Nullable List<String> given) {
        if (given == null || given.isEmpty()) {
            throw new MisuseException("no file given; allowed: one, with CREATE SERVER and CREATE USER MAPPING");
        }
        if (given.size() > 1) {
            throw new MisuseException("'" + given.get(1) + "' is one file too many; allowed: one");
        }
        try {
            return new ServersFile(CatalogScript.read(Path.of(given.get(0))));
        } catch (RemoteException | InvalidPathException e) {
            throw refused(e);
        }
    }

    /** Checks a user's name. */
    static String user(@Nullable String given) {
        if (given != null && given.isBlank()) {
            throw new MisuseException("--user is ''; allowed: the name of a user");
        }
        return given == null ? DEFAULT_USER : given;
    }

    /**
     * Executes the statements. An error of the file names its line and column.
     *
     * @throws RefusedInputException if the file is wrong
     * @throws CommandFailedException if a call in the file failed, or a driver is missing
     */
    void execute(CatalogSession session) {
        try {
            script.execute(session);
        } catch (RemoteException e) {
            if (MISTAKES.contains(e.code())) {
                throw refused(e);
            }
            throw new CommandFailedException(String.valueOf(e.getMessage()));
        } catch (SQLException e) {
            throw new CommandFailedException(Text.oneLine(e));
        }
    }

    private static RefusedInputException refused(Exception e) {
        return new RefusedInputException(List.of("reservoir: " + e.getMessage()));
    }

    @Override
    public String toString() {
        return script.toString();
    }
}
