package dev.reservoir.remote.adapter.database;

import dev.reservoir.remote.adapter.jdbc.ConnectOptions;
import dev.reservoir.remote.model.RemoteException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A file with authorities, as a key store. Some drivers read no other files. A file with certificates as text (PEM) is
 * copied into a key store in a temporary file of this process. It holds no secret.
 *
 * @param password null if the file is the user's own, who passes its password as an option for the driver
 */
record TrustStore(Path file, String type, @Nullable String password) {
    /** Protects against damage only. The certificates of authorities are public. */
    private static final String COPY_PASSWORD = "reservoir";

    /** Most copies that are kept. A process rarely has more than a few files with authorities. */
    private static final int COPIES_MAX = 100;

    /** A file at one time. If the file changes, it is copied again. */
    private record Source(String file, FileTime modified, long size) {}

    /** Guarded by itself. The oldest copy is deleted when there are too many. */
    private static final Map<Source, TrustStore> COPIES = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Source, TrustStore> eldest) {
            if (size() <= COPIES_MAX) {
                return false;
            }
            eldest.getValue().delete();
            return true;
        }
    };

    /** The key store for this file. Does file I/O. Throws RD032 if the file cannot be used. */
    static TrustStore of(String file, ConnectOptions options) throws RemoteException {
        String name = file.toLowerCase(Locale.ROOT);
        if (name.endsWith(".p12") || name.endsWith(".pfx")) {
            return new TrustStore(Path.of(file).toAbsolutePath(), "PKCS12", null);
        }
        if (name.endsWith(".jks")) {
            return new TrustStore(Path.of(file).toAbsolutePath(), "JKS", null);
        }
        try {
            Path path = Path.of(file);
            Source source = new Source(file, Files.getLastModifiedTime(path), Files.size(path));
            synchronized (COPIES) {
                TrustStore copy = COPIES.get(source);
                if (copy == null || !Files.exists(copy.file)) {
                    copy = copy(path);
                    COPIES.put(source, copy);
                }
                return copy;
            }
        } catch (IOException | GeneralSecurityException e) {
            throw options.refused(
                    "ssl_ca_cert",
                    file,
                    "a file with certificates (PEM) or a key store (.p12, .pfx, .jks), which this process can read");
        }
    }

    private static TrustStore copy(Path pem) throws IOException, GeneralSecurityException {
        Collection<? extends Certificate> certificates;
        try (InputStream in = Files.newInputStream(pem)) {
            certificates = CertificateFactory.getInstance("X.509").generateCertificates(in);
        }
        if (certificates.isEmpty()) {
            throw new IOException("no certificate");
        }
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        int number = 0;
        for (Certificate certificate : certificates) {
            store.setCertificateEntry("authority-" + ++number, certificate);
        }
        Path file = Files.createTempFile("reservoir-authorities-", ".p12");
        file.toFile().deleteOnExit();
        try (OutputStream out = Files.newOutputStream(file)) {
            store.store(out, COPY_PASSWORD.toCharArray());
        }
        return new TrustStore(file, "PKCS12", COPY_PASSWORD);
    }

    private void delete() {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            // It is deleted when the process ends.
            return;
        }
    }
}
