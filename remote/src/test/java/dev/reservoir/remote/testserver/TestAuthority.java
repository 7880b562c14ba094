package dev.reservoir.remote.testserver;

import java.io.IOException;
import java.io.StringWriter;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.concurrent.atomic.AtomicLong;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** A certificate authority for tests. It writes certificates and keys as text files (PEM). */
public final class TestAuthority {
    private static final AtomicLong SERIAL = new AtomicLong(1);

    private final Path directory;
    private final KeyPair keys;
    private final X500Name name = new X500Name("CN=Authority for tests");

    /** The certificate of the authority, as a file. */
    public final Path certificate;

    public TestAuthority(Path directory) throws IOException, GeneralSecurityException {
        this.directory = directory;
        keys = newKeys();
        certificate = directory.resolve("authority.crt");
        try {
            X509v3CertificateBuilder own =
                    builder(name, keys).addExtension(Extension.basicConstraints, true, new BasicConstraints(true));
            write(certificate, sign(own));
        } catch (OperatorCreationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Writes {@code file.crt} and {@code file.key} for a server on this DNS name, or for a user. */
    public void issue(String file, String commonName) throws IOException, GeneralSecurityException {
        KeyPair own = newKeys();
        try {
            X509v3CertificateBuilder builder = builder(new X500Name("CN=" + commonName), own)
                    .addExtension(
                            Extension.subjectAlternativeName,
                            false,
                            new GeneralNames(new GeneralName(GeneralName.dNSName, commonName)));
            write(directory.resolve(file + ".crt"), sign(builder));
        } catch (OperatorCreationException e) {
            throw new IllegalStateException(e);
        }
        Path key = directory.resolve(file + ".key");
        Files.createFile(key, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        // PKCS #8, which all drivers read.
        Files.writeString(
                key,
                "-----BEGIN PRIVATE KEY-----\n"
                        + Base64.getMimeEncoder()
                                .encodeToString(own.getPrivate().getEncoded())
                        + "\n-----END PRIVATE KEY-----\n");
    }

    private static KeyPair newKeys() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(2048);
        return generator.generateKeyPair();
    }

    private X509v3CertificateBuilder builder(X500Name subject, KeyPair of) {
        Instant now = Instant.now();
        return new JcaX509v3CertificateBuilder(
                name,
                BigInteger.valueOf(SERIAL.incrementAndGet()),
                Date.from(now.minus(Duration.ofDays(1))),
                Date.from(now.plus(Duration.ofDays(10))),
                subject,
                of.getPublic());
    }

    private X509Certificate sign(X509v3CertificateBuilder builder)
            throws OperatorCreationException, GeneralSecurityException {
        return new JcaX509CertificateConverter()
                .getCertificate(builder.build(new JcaContentSignerBuilder("SHA256withRSA").build(keys.getPrivate())));
    }

    private static void write(Path file, Object object) throws IOException {
        StringWriter text = new StringWriter();
        try (JcaPEMWriter pem = new JcaPEMWriter(text)) {
            pem.writeObject(object);
        }
        Files.writeString(file, text.toString());
    }
}
