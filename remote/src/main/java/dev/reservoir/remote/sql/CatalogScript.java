package dev.reservoir.remote.sql;

import dev.reservoir.remote.model.RemoteErrorCode;
import dev.reservoir.remote.model.RemoteException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;

/** A file of statements that is executed at start-up. Its changes take effect together or not at all. */
public final class CatalogScript {
    /** Longest file, in bytes. A file with thousands of servers is shorter. */
    private static final int BYTES_MAX = 8 << 20;

    private final Path file;
    private final String text;

    private CatalogScript(Path file, String text) {
        this.file = file;
        this.text = text;
    }

    /**
     * Reads a file in UTF-8. Blocks.
     *
     * @throws RemoteException RD032 if it cannot be read
     */
    public static CatalogScript read(Path file) throws RemoteException {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(BYTES_MAX + 1);
            if (bytes.length > BYTES_MAX) {
                throw new RemoteException(
                        RemoteErrorCode.INVALID_OPTION, file + " is longer than " + BYTES_MAX + " bytes");
            }
            return new CatalogScript(
                    file,
                    StandardCharsets.UTF_8
                            .newDecoder()
                            .decode(ByteBuffer.wrap(bytes))
                            .toString());
        } catch (CharacterCodingException e) {
            throw new RemoteException(RemoteErrorCode.INVALID_OPTION, file + " is no text in UTF-8", e);
        } catch (IOException e) {
            throw new RemoteException(
                    RemoteErrorCode.INVALID_OPTION,
                    file + " cannot be read (" + e.getClass().getSimpleName() + ")",
                    e);
        }
    }

    /**
     * Executes the statements, then the calls.
     *
     * @return the command tags of the statements
     * @throws RemoteException whose message names the file, the line and the column
     */
    public List<String> execute(CatalogSession session) throws SQLException {
        try {
            return session.execute(text);
        } catch (StatementException e) {
            throw e.in(file.toString());
        }
    }

    @Override
    public String toString() {
        return file.toString();
    }
}
