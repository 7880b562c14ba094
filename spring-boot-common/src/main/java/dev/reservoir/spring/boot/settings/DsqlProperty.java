package dev.reservoir.spring.boot.settings;

import java.time.Duration;
import java.util.Locale;

/**
 * The properties below {@code spring.datasource.reservoir.dsql}, for applications on Aurora DSQL: the one place that
 * declares the name, type and meaning of each.
 */
public enum DsqlProperty {
    ENDPOINT(
            String.class,
            "",
            "The host name of the cluster, with or without a port. It selects Aurora DSQL; no URL,"
                    + " user or password is needed then."),
    REGION(String.class, "", "The region of the cluster. By default the one in the host name."),
    USER(String.class, "admin", "The user to log in as: admin, or a role of the database."),
    PROFILE(
            String.class,
            "",
            "The profile of the AWS configuration that holds the credentials. By default a bean of"
                    + " type AwsCredentialsProvider, or else the default chain of the AWS SDK."),
    TOKEN_DURATION(Duration.class, "15m", "How long the server accepts each token: 1 second to 7 days."),
    ROOT_CERTIFICATE(
            String.class,
            "",
            "A file with the root certificate for the server's certificate. By default" + " those that Java trusts."),
    RETRY_TRANSACTIONS(
            Boolean.class,
            "false",
            "Whether methods with @Transactional run again when their transaction"
                    + " conflicts. They must not have effects outside the database.");

    private final Class<?> type;
    private final String byDefault;
    private final String doc;

    DsqlProperty(Class<?> type, String byDefault, String doc) {
        this.type = type;
        this.byDefault = byDefault;
        this.doc = doc;
    }

    /** The part of the name after the prefix, such as {@code token-duration}. */
    public String key() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The full name, such as {@code spring.datasource.reservoir.dsql.token-duration}. */
    public String property() {
        return PropertyNames.RESERVOIR + "dsql." + key();
    }

    public Class<?> type() {
        return type;
    }

    /** The default as text. Empty if there is none. */
    public String byDefault() {
        return byDefault;
    }

    /** The meaning, in one or two sentences. */
    public String doc() {
        return doc;
    }
}
