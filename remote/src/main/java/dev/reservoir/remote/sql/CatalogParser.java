package dev.reservoir.remote.sql;

import dev.reservoir.core.util.NearestName;
import dev.reservoir.remote.model.RemoteDatabaseType;
import dev.reservoir.remote.model.UserMapping;
import dev.reservoir.remote.sql.CatalogStatement.AlterMapping;
import dev.reservoir.remote.sql.CatalogStatement.AlterServer;
import dev.reservoir.remote.sql.CatalogStatement.Argument;
import dev.reservoir.remote.sql.CatalogStatement.Call;
import dev.reservoir.remote.sql.CatalogStatement.CreateMapping;
import dev.reservoir.remote.sql.CatalogStatement.CreateServer;
import dev.reservoir.remote.sql.CatalogStatement.DropMapping;
import dev.reservoir.remote.sql.CatalogStatement.DropServer;
import dev.reservoir.remote.sql.CatalogStatement.ServerName;
import dev.reservoir.remote.sql.CatalogStatement.UserName;
import dev.reservoir.remote.sql.lexer.CatalogLexer;
import dev.reservoir.remote.sql.lexer.CatalogToken;
import dev.reservoir.remote.sql.lexer.CatalogToken.Kind;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Parses the statements for servers, user mappings and calls, by recursive descent. A method per rule; each begins at
 * the first token that its caller has not consumed. Throws {@link StatementException} and nothing else.
 */
final class CatalogParser {
    /** Longest text. A file with thousands of servers is shorter. */
    static final int TEXT_MAX = 4 << 20;

    /** Most servers in one {@code DROP SERVER}, and most arguments that are read before a call is refused. */
    private static final int LIST_MAX = 1_000;

    private final TokenStream tokens;

    private CatalogParser(String text) {
        tokens = new TokenStream(text);
    }

    /** Parses statements that are separated by semicolons. */
    static List<CatalogStatement> parse(String text) throws StatementException {
        if (text.length() > TEXT_MAX) {
            throw new StatementException(
                    new SourcePosition(1, 1, 0),
                    "the text has " + text.length() + " characters; allowed: at most " + TEXT_MAX);
        }
        return new CatalogParser(text).statements();
    }

    /** Whether the text begins like a statement that this parser knows, so that no other one is to be asked. */
    static boolean knows(String text) {
        CatalogLexer lexer = new CatalogLexer(text);
        CatalogToken first = lexer.next();
        for (int i = 0; i < LIST_MAX && first.isSymbol(';'); i++) {
            first = lexer.next();
        }
        CatalogToken second = lexer.next();
        boolean isChange = first.isKeyword("CREATE") || first.isKeyword("ALTER") || first.isKeyword("DROP");
        return first.isKeyword("CALL")
                || (isChange
                        && (second.isKeyword("SERVER")
                                || (second.isKeyword("USER") && lexer.next().isKeyword("MAPPING"))));
    }

    private List<CatalogStatement> statements() throws StatementException {
        List<CatalogStatement> statements = new ArrayList<>();
        while (true) {
            while (tokens.skip(';')) {
                // An empty statement.
            }
            if (tokens.peek().kind() == Kind.END) {
                return statements;
            }
            tokens.startStatement();
            statements.add(statement());
            if (tokens.peek().kind() != Kind.END && !tokens.peek().isSymbol(';')) {
                throw tokens.unexpected("a semicolon", "the end of the text");
            }
        }
    }

    private CatalogStatement statement() throws StatementException {
        SourcePosition start = SourcePosition.of(tokens.peek());
        return switch (tokens.keyword("CREATE", "ALTER", "DROP", "CALL")) {
            case "CREATE" -> isServer() ? createServer(start) : createMapping(start);
            case "ALTER" -> isServer() ? alterServer(start) : alterMapping(start);
            case "DROP" -> isServer() ? dropServer(start) : dropMapping(start);
            default -> call(start);
        };
    }

    private boolean isServer() throws StatementException {
        boolean isServer = tokens.keyword("SERVER", "USER").equals("SERVER");
        if (!isServer) {
            tokens.keyword("MAPPING");
        }
        return isServer;
    }

    private CreateServer createServer(SourcePosition start) throws StatementException {
        boolean ifNotExists = ifNotExists();
        ServerName server = serverName();
        CatalogToken typeName = null;
        if (tokens.keyword("TYPE", "FOREIGN").equals("TYPE")) {
            typeName = tokens.peek();
            if (typeName.kind() != Kind.STRING && !typeName.isIdentifier()) {
                throw tokens.unexpected("a type in single quotes, such as 'postgresql'");
            }
            tokens.next();
            tokens.keyword("FOREIGN");
        }
        tokens.keyword("DATA");
        tokens.keyword("WRAPPER");
        RemoteDatabaseType type = wrapper();
        checkType(typeName, type);
        List<OptionChange> options = tokens.peek().isKeyword("OPTIONS") ? OptionsParser.forNew(tokens) : List.of();
        return new CreateServer(start, server, ifNotExists, type, options);
    }

    private RemoteDatabaseType wrapper() throws StatementException {
        CatalogToken name = tokens.identifier("a foreign data wrapper");
        for (RemoteDatabaseType type : RemoteDatabaseType.values()) {
            if (type.wrapper().equals(name.name())) {
                return type;
            }
        }
        List<String> known = RemoteDatabaseType.wrappers();
        throw new StatementException(
                SourcePosition.of(name),
                "there is no foreign data wrapper " + name.shown() + "; nearest: " + NearestName.of(name.name(), known)
                        + "; allowed: " + String.join(", ", known));
    }

    private static void checkType(@Nullable CatalogToken name, RemoteDatabaseType type) throws StatementException {
        if (name != null && !type.label().equalsIgnoreCase(name.text())) {
            throw new StatementException(
                    SourcePosition.of(name),
                    "the type does not fit the foreign data wrapper " + type.wrapper() + "; allowed: '" + type.label()
                            + "', or no TYPE");
        }
    }

    private AlterServer alterServer(SourcePosition start) throws StatementException {
        ServerName server = serverName();
        if (tokens.peek().isKeyword("OPTIONS")) {
            return new AlterServer(start, server, null, OptionsParser.forExisting(tokens));
        }
        tokens.keyword("OWNER", "OPTIONS");
        tokens.keyword("TO");
        return new AlterServer(start, server, userName(), List.of());
    }

    private DropServer dropServer(SourcePosition start) throws StatementException {
        boolean ifExists = ifExists();
        List<ServerName> servers = new ArrayList<>();
        do {
            servers.add(serverName());
        } while (servers.size() < LIST_MAX && tokens.skip(','));
        boolean cascade = tokens.skip("CASCADE");
        if (!cascade) {
            tokens.skip("RESTRICT");
        }
        return new DropServer(start, servers, ifExists, cascade);
    }

    private CreateMapping createMapping(SourcePosition start) throws StatementException {
        boolean ifNotExists = ifNotExists();
        UserName user = mappingUser();
        ServerName server = mappingServer();
        List<OptionChange> options = tokens.peek().isKeyword("OPTIONS") ? OptionsParser.forNew(tokens) : List.of();
        return new CreateMapping(start, user, server, ifNotExists, options);
    }

    private AlterMapping alterMapping(SourcePosition start) throws StatementException {
        UserName user = mappingUser();
        ServerName server = mappingServer();
        return new AlterMapping(start, user, server, OptionsParser.forExisting(tokens));
    }

    private DropMapping dropMapping(SourcePosition start) throws StatementException {
        boolean ifExists = ifExists();
        UserName user = mappingUser();
        return new DropMapping(start, user, mappingServer(), ifExists);
    }

    private UserName mappingUser() throws StatementException {
        tokens.keyword("FOR");
        return userName();
    }

    private ServerName mappingServer() throws StatementException {
        tokens.keyword("SERVER");
        return serverName();
    }

    private Call call(SourcePosition start) throws StatementException {
        CatalogToken schema = tokens.identifier(Procedure.SCHEMA + ".procedure");
        if (!schema.name().equals(Procedure.SCHEMA)) {
            throw new StatementException(
                    SourcePosition.of(schema),
                    "there is no schema " + schema.shown() + " with procedures; expected: " + Procedure.SCHEMA);
        }
        tokens.symbol('.');
        CatalogToken name = tokens.identifier("the name of a procedure");
        Procedure procedure = Procedure.named(name.name());
        if (procedure == null) {
            throw new StatementException(
                    SourcePosition.of(name),
                    "there is no procedure " + name.shown() + "; nearest: "
                            + NearestName.of(name.name(), Procedure.labels()));
        }
        return new Call(start, procedure, arguments(procedure, SourcePosition.of(name)));
    }

    private List<Argument> arguments(Procedure procedure, SourcePosition position) throws StatementException {
        List<Argument> arguments = new ArrayList<>();
        tokens.symbol('(');
        if (!tokens.skip(')')) {
            do {
                CatalogToken token = tokens.next();
                if (token.kind() != Kind.STRING && token.kind() != Kind.NUMBER && !token.isIdentifier()) {
                    throw tokens.unexpected(token, "a name, a string in single quotes or a number");
                }
                arguments.add(new Argument(token.name(), SourcePosition.of(token)));
            } while (arguments.size() < LIST_MAX && tokens.skip(','));
            tokens.symbol(')');
        }
        int count = arguments.size();
        if (count < procedure.argumentsMin() || count > procedure.argumentsMax()) {
            throw new StatementException(
                    position, "the call has " + count + " arguments; expected: " + procedure.signature());
        }
        return arguments;
    }

    private ServerName serverName() throws StatementException {
        CatalogToken name = tokens.identifier("the name of a server");
        return new ServerName(name.name(), SourcePosition.of(name));
    }

    private UserName userName() throws StatementException {
        CatalogToken name = tokens.identifier("a user, PUBLIC or CURRENT_USER");
        boolean isCurrent = name.isKeyword("CURRENT_USER")
                || name.isKeyword("CURRENT_ROLE")
                || name.isKeyword("SESSION_USER")
                || name.isKeyword("USER");
        if (isCurrent) {
            return new UserName(null, SourcePosition.of(name));
        }
        return new UserName(
                name.isKeyword(UserMapping.PUBLIC) ? UserMapping.PUBLIC : name.name(), SourcePosition.of(name));
    }

    private boolean ifNotExists() throws StatementException {
        if (!isIfClause("NOT")) {
            return false;
        }
        tokens.keyword("IF");
        tokens.keyword("NOT");
        tokens.keyword("EXISTS");
        return true;
    }

    private boolean ifExists() throws StatementException {
        if (!isIfClause("EXISTS")) {
            return false;
        }
        tokens.keyword("IF");
        tokens.keyword("EXISTS");
        return true;
    }

    /** IF is no reserved word, so a server may have this name. */
    private boolean isIfClause(String second) {
        return tokens.peek().isKeyword("IF") && tokens.peekSecond().isKeyword(second);
    }
}
