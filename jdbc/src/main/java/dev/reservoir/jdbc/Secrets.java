package dev.reservoir.jdbc;

import java.sql.SQLException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Keeps passwords out of everything that is shown. */
final class Secrets {
    static final String HIDDEN = "***";

    /** What drivers call a secret in a URL; the value ends at the next separator. */
    private static final Pattern PARAMETER = Pattern.compile(
            "(?i)([?&;:(,][^=?&;:(,]*(?:password|passwd|pwd|passphrase|secret|token|credential)[^=?&;]*=)[^&;)]*");

    /** {@code //user:password@host}, and Oracle's {@code user/password@host}. */
    private static final Pattern USER_INFO = Pattern.compile("(//[^/?#@:]*:)[^/?#]*@");

    private static final Pattern ORACLE_LOGIN = Pattern.compile("(?i)(jdbc:oracle:[a-z]+:[^/@]+/)[^@]+@");
    private static final int CHAIN_MAX = 50;

    /** Shorter ones stand in every text by chance. */
    private static final int SECRET_LENGTH_MIN = 3;

    private Secrets() {}

    /** The URL without the secrets in it. */
    static String maskUrl(String url) {
        String masked = USER_INFO.matcher(url).replaceAll("$1" + HIDDEN + "@");
        masked = ORACLE_LOGIN.matcher(masked).replaceAll("$1" + HIDDEN + "@");
        return PARAMETER.matcher(masked).replaceAll("$1" + HIDDEN);
    }

    /** The text without this secret. */
    static String mask(String text, @Nullable String secret) {
        return secret == null || secret.length() < SECRET_LENGTH_MIN ? text : text.replace(secret, HIDDEN);
    }

    /** The error itself, or, if anything in its chain shows the secret or the URL's secrets, a copy that does not. */
    static SQLException clean(SQLException error, @Nullable String secret, @Nullable String url) {
        Throwable t = error;
        for (int i = 0; i < CHAIN_MAX && t != null; i++) {
            String text = String.valueOf(t.getMessage());
            if (!masked(text, secret, url).equals(text)) {
                String clean = masked(String.valueOf(error.getMessage()), secret, url);
                SQLException copy = new SQLException(clean, error.getSQLState(), error.getErrorCode());
                copy.setStackTrace(error.getStackTrace());
                return copy;
            }
            t = t.getCause();
        }
        return error;
    }

    private static String masked(String text, @Nullable String secret, @Nullable String url) {
        String withoutUrl = url == null ? text : text.replace(url, maskUrl(url));
        return mask(withoutUrl, secret);
    }
}
