package dev.reservoir.remote.sql;

import dev.reservoir.core.util.NearestName;
import dev.reservoir.remote.model.MappingOptions;
import dev.reservoir.remote.model.RemoteOption;
import dev.reservoir.remote.model.ServerOptions;
import dev.reservoir.remote.sql.OptionChange.Action;
import dev.reservoir.remote.sql.lexer.CatalogToken;
import dev.reservoir.remote.sql.lexer.CatalogToken.Kind;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Parses {@code OPTIONS (key 'value', ...)}. Never looks at the value of an option. */
final class OptionsParser {
    /** Most options in one list. It leaves room for all options of a server and for those of its driver. */
    private static final int COUNT_MAX = 500;

    private static final String DRIVER =
            ServerOptions.DRIVER_PREFIX.substring(0, ServerOptions.DRIVER_PREFIX.length() - 1);

    private final TokenStream tokens;
    private final boolean existing;
    private final Set<String> seen = new HashSet<>();

    private OptionsParser(TokenStream tokens, boolean existing) {
        this.tokens = tokens;
        this.existing = existing;
    }

    /** The options of something new. */
    static List<OptionChange> forNew(TokenStream tokens) throws StatementException {
        return new OptionsParser(tokens, false).list();
    }

    /** The changes of options of something that exists: each may begin with ADD, SET or DROP. */
    static List<OptionChange> forExisting(TokenStream tokens) throws StatementException {
        return new OptionsParser(tokens, true).list();
    }

    private List<OptionChange> list() throws StatementException {
        tokens.keyword("OPTIONS");
        tokens.symbol('(');
        List<OptionChange> options = new ArrayList<>();
        do {
            if (options.size() == COUNT_MAX) {
                throw new StatementException(
                        SourcePosition.of(tokens.peek()), "too many options; allowed: at most " + COUNT_MAX);
            }
            options.add(option());
        } while (tokens.skip(','));
        if (!tokens.skip(')')) {
            throw tokens.unexpected("\",\"", "\")\"");
        }
        return options;
    }

    private OptionChange option() throws StatementException {
        Action action = action();
        SourcePosition position = SourcePosition.of(tokens.peek());
        String key = key();
        String shownKey = tokens.isHidden() ? "an option" : "option " + key;
        if (isSecret(key)) {
            tokens.hideFromHere();
        }
        if (!seen.add(canonical(key))) {
            throw new StatementException(position, shownKey + " is given twice");
        }
        return new OptionChange(action, key, action == Action.DROP ? null : value(shownKey), position);
    }

    private Action action() {
        if (!existing || !tokens.peekSecond().isIdentifier()) {
            return Action.ADD;
        }
        for (Action action : Action.values()) {
            if (tokens.skip(action.name())) {
                return action;
            }
        }
        return Action.ADD;
    }

    /** The name of an option for the driver keeps upper and lower case, because drivers distinguish them. */
    private String key() throws StatementException {
        CatalogToken first = tokens.identifier("the name of an option");
        if (!first.name().equals(DRIVER) || !tokens.peek().isSymbol('.')) {
            return first.kind() == Kind.QUOTED_IDENTIFIER && first.text().startsWith(ServerOptions.DRIVER_PREFIX)
                    ? first.text()
                    : first.text().toLowerCase(Locale.ROOT);
        }
        StringBuilder key = new StringBuilder(DRIVER);
        while (tokens.skip('.')) {
            key.append('.')
                    .append(tokens.identifier("the name of an option for the driver")
                            .text());
        }
        return key.toString();
    }

    /** The key of an option that was given by its other name. */
    private static String canonical(String key) {
        RemoteOption<?> option = ServerOptions.named(key);
        if (option == null) {
            option = MappingOptions.named(key);
        }
        return option == null ? key : option.key();
    }

    private String value(String shownKey) throws StatementException {
        CatalogToken value = tokens.peek();
        if (value.kind() != Kind.STRING && value.kind() != Kind.NUMBER) {
            // A word here may be a value without quotes, of an option whose name is misspelt.
            tokens.hideFromHere();
            throw tokens.unexpected("the value of " + shownKey + " in single quotes");
        }
        return tokens.next().text();
    }

    private static boolean isSecret(String key) {
        RemoteOption<?> option = MappingOptions.named(key);
        if (option != null) {
            return option.isSecret();
        }
        String near = ServerOptions.named(key) == null
                ? NearestName.likely(key, List.of(MappingOptions.PASSWORD.key(), "remote_password"))
                : null;
        return near != null || key.contains("pass") || key.contains("secret") || key.contains("token");
    }
}
