package dev.reservoir.sim.file;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.composer.Composer;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.ParserException;
import org.snakeyaml.engine.v2.exceptions.ReaderException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.parser.Parser;
import org.snakeyaml.engine.v2.parser.ParserImpl;
import org.snakeyaml.engine.v2.scanner.StreamReader;

/**
 * Parses YAML and JSON into a tree that knows the position of every node. Never creates objects from types named in the
 * text.
 */
final class YamlTree {
    /** Deepest nesting. A scenario needs no more than 5 levels, and far more than this would overflow the stack. */
    private static final int NESTING_MAX = 50;

    private static final int ALIASES_MAX = 1_000;
    private static final String ALLOWED = "one YAML or JSON document";

    private final String text;
    private final Mistakes mistakes;

    private YamlTree(String text, Mistakes mistakes) {
        this.text = text;
        this.mistakes = mistakes;
    }

    /** The root of the document. Notes a mistake and returns null if there is none. */
    static @Nullable Node read(String text, Mistakes mistakes) {
        return new YamlTree(text, mistakes).read();
    }

    private @Nullable Node read() {
        LoadSettings settings = LoadSettings.builder()
                .setCodePointLimit(Math.max(1, text.length()))
                .setMaxAliasesForCollections(ALIASES_MAX)
                .setAllowNonScalarKeys(true)
                .build();
        try {
            Parser parser = new ParserImpl(settings, new StreamReader(settings, clean(text)));
            Node root =
                    new Composer(settings, new Bounded(parser)).getSingleNode().orElse(null);
            if (root == null) {
                mistakes.syntax(1, 1, "the file is empty", ALLOWED);
            }
            return root;
        } catch (MarkedYamlEngineException e) {
            Optional<Mark> mark = e.getProblemMark().or(e::getContextMark);
            mistakes.syntax(
                    mark.map(m -> m.getLine() + 1).orElse(1),
                    mark.map(m -> m.getColumn() + 1).orElse(1),
                    problem(e),
                    ALLOWED);
        } catch (ReaderException e) {
            unreadable(e.getPosition(), e.getCodePoint());
        } catch (YamlEngineException e) {
            mistakes.syntax(1, 1, oneLine(e.getMessage()), ALLOWED);
        }
        return null;
    }

    private static String problem(MarkedYamlEngineException e) {
        String context = e.getContext();
        String problem = oneLine(e.getProblem());
        return context == null ? problem : (oneLine(context) + " " + problem).strip();
    }

    private static String oneLine(@Nullable String message) {
        return String.valueOf(message).replaceAll("\\s+", " ").strip();
    }

    /**
     * Replaces tabs by blanks, one for one, in a document in braces, so that positions stay the same. JSON allows
     * indentation with tabs and YAML does not. Also removes a byte order mark.
     */
    private static String clean(String text) {
        String body = text.startsWith("\uFEFF") ? text.substring(1) : text;
        return body.stripLeading().startsWith("{") ? body.replace('\t', ' ') : body;
    }

    private void unreadable(int position, int codePoint) {
        int line = 1;
        int column = 1;
        int[] all = clean(text).codePoints().limit(position).toArray();
        for (int c : all) {
            column = c == '\n' ? 1 : column + 1;
            line = c == '\n' ? line + 1 : line;
        }
        mistakes.syntax(line, column, "the character U+%04X".formatted(codePoint), "printable characters");
    }

    /** Rejects a document that is nested too deeply, before anything recurses into it. */
    private static final class Bounded implements Parser {
        private final Parser parser;
        private int depth;

        Bounded(Parser parser) {
            this.parser = parser;
        }

        @Override
        public boolean checkEvent(Event.ID choice) {
            return parser.checkEvent(choice);
        }

        @Override
        public Event peekEvent() {
            return parser.peekEvent();
        }

        @Override
        public boolean hasNext() {
            return parser.hasNext();
        }

        @Override
        public Event next() {
            Event event = parser.next();
            switch (event.getEventId()) {
                case MappingStart, SequenceStart -> depth++;
                case MappingEnd, SequenceEnd -> depth--;
                default -> {}
            }
            if (depth > NESTING_MAX) {
                throw new ParserException(
                        "nested more than " + NESTING_MAX + " deep", event.getStartMark(), "", event.getStartMark());
            }
            return event;
        }
    }
}
