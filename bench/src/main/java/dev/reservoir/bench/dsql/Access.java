package dev.reservoir.bench.dsql;

import dev.reservoir.dsql.DsqlDataSource;
import dev.reservoir.dsql.DsqlDataSourceBuilder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;

/**
 * The data that a client needs to connect to an emulated cluster.
 *
 * @param port the port that it listens on, on this machine
 * @param certificate the file with the certificate to trust
 */
record Access(int port, Path certificate) {
    /** The credentials, which only the emulator accepts. */
    static final String KEY = "AKIDBENCH";

    static final String SECRET = "known-to-the-emulator-only";
    static final String HOST = "localhost";
    static final String REGION = "us-east-1";

    static Access of(List<String> words) {
        return new Access(Integer.parseInt(words.get(0)), Path.of(words.get(1)));
    }

    List<String> words() {
        return List.of(Integer.toString(port), certificate.toString());
    }

    String endpoint() {
        return HOST + ":" + port;
    }

    /** A builder with the region, the certificate and the credentials. */
    DsqlDataSourceBuilder trusted(DsqlDataSourceBuilder builder) {
        return builder.region(REGION)
                .rootCertificate(certificate)
                .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create(KEY, SECRET)));
    }

    DsqlDataSourceBuilder builder() {
        return trusted(DsqlDataSource.builder().endpoint(endpoint()));
    }

    /**
     * A URL for AWS's JDBC connector. The connector takes its credentials from the AWS SDK's chain, which finds them in
     * these system properties.
     */
    String awsUrl() {
        System.setProperty("aws.accessKeyId", KEY);
        System.setProperty("aws.secretAccessKey", SECRET);
        return "jdbc:aws-dsql:postgresql://" + endpoint() + "/postgres?user=admin&region=" + REGION + "&sslrootcert="
                + URLEncoder.encode(certificate.toString(), StandardCharsets.UTF_8);
    }
}
