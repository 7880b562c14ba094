package dev.reservoir.sim.scenario;

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

/** Reads YAML, and JSON with it, into a tree that knows where everything stood. Never makes objects of what it reads. */
final class YamlTree {
    /** Nothing in a scenario is nested deeper than 5; far more would overflow the stack. */
    private static final int NESTING_MAX = 50;

    private static final int ALIASES_MAX = 1_000;
    private static final String ALLOWED = "one YAML or JSON document";

    private final String text;
    private final Mistakes mistakes;

    private YamlTree(String text, Mistakes mistakes) {
        this.text = text;
        this.mistakes = mistakes;
    }

    /** The root of the document; null if there is none, which is a mistake. */
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
     * JSON may be indented with tabs, YAML may not: in a document in braces they become blanks, one for one, so that
     * everything stays where it stood.
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

    /** Refuses what is nested too deeply before anything recurses into it. */
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
