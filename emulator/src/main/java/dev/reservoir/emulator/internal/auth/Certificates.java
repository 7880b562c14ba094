package dev.reservoir.emulator.internal.auth;

import java.io.IOException;
import java.io.StringWriter;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.LinkedHashSet;
import java.util.Set;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.CertIOException;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.operator.ContentSigner;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/**
 * A certificate for the emulator and the authority that signed it. Both are created at each start. The key of the
 * authority is discarded after it has signed.
 *
 * @param key the key of the certificate
 * @param certificate the emulator's certificate
 * @param authority the certificate of the authority that signed it
 */
public record Certificates(PrivateKey key, X509Certificate certificate, X509Certificate authority) {
    private static final Duration PAST = Duration.ofDays(1);
    private static final Duration FUTURE = Duration.ofDays(365);
    private static final SecureRandom RANDOM = new SecureRandom();

    /** Creates them for a host and for the names of this machine. */
    public static Certificates make(String host) {
        try {
            KeyPair authorityKeys = keys();
            X500Name authorityName = new X500Name("CN=Reservoir DSQL emulator authority");
            X509v3CertificateBuilder authority = builder(authorityName, authorityName, authorityKeys)
                    .addExtension(Extension.basicConstraints, true, new BasicConstraints(0))
                    .addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign));
            KeyPair ownKeys = keys();
            X509v3CertificateBuilder own = builder(authorityName, new X500Name("CN=Reservoir DSQL emulator"), ownKeys)
                    .addExtension(Extension.basicConstraints, true, new BasicConstraints(false))
                    .addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature))
                    .addExtension(
                            Extension.extendedKeyUsage, false, new ExtendedKeyUsage(KeyPurposeId.id_kp_serverAuth))
                    .addExtension(Extension.subjectAlternativeName, false, names(host));
            return new Certificates(ownKeys.getPrivate(), sign(own, authorityKeys), sign(authority, authorityKeys));
        } catch (GeneralSecurityException | OperatorCreationException | CertIOException e) {
            throw new IllegalStateException("no certificate could be made for host " + host, e);
        }
    }

    private static KeyPair keys() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        return generator.generateKeyPair();
    }

    /**
     * Uses the clock of the machine, not the clock of the emulator, because clients check dates by the machine's clock.
     */
    private static X509v3CertificateBuilder builder(X500Name issuer, X500Name subject, KeyPair keys) {
        Instant now = Instant.now();
        return new JcaX509v3CertificateBuilder(
                issuer,
                new BigInteger(127, RANDOM).add(BigInteger.ONE),
                Date.from(now.minus(PAST)),
                Date.from(now.plus(FUTURE)),
                subject,
                keys.getPublic());
    }

    private static GeneralNames names(String host) {
        boolean address = host.matches("[0-9.]+") || host.indexOf(':') >= 0;
        Set<GeneralName> names = new LinkedHashSet<>();
        names.add(new GeneralName(address ? GeneralName.iPAddress : GeneralName.dNSName, host));
        names.add(new GeneralName(GeneralName.dNSName, "localhost"));
        names.add(new GeneralName(GeneralName.iPAddress, "127.0.0.1"));
        names.add(new GeneralName(GeneralName.iPAddress, "::1"));
        return new GeneralNames(names.toArray(new GeneralName[0]));
    }

    private static X509Certificate sign(X509v3CertificateBuilder certificate, KeyPair authority)
            throws OperatorCreationException, GeneralSecurityException {
        ContentSigner signer = new JcaContentSignerBuilder("SHA256withECDSA").build(authority.getPrivate());
        return new JcaX509CertificateConverter().getCertificate(certificate.build(signer));
    }

    /** Writes the certificate of the authority to a file that clients can read. */
    public void writeAuthority(Path file) throws IOException {
        StringWriter text = new StringWriter();
        try (JcaPEMWriter pem = new JcaPEMWriter(text)) {
            pem.writeObject(authority);
        }
        Files.writeString(file, text.toString());
    }

    @Override
    public String toString() {
        return "Certificates[" + certificate.getSubjectX500Principal() + "]";
    }
}
