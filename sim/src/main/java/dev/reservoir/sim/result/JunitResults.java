package dev.reservoir.sim.result;

import dev.reservoir.sim.result.Outcome.Verdict;
import java.io.IOException;
import java.io.StringWriter;
import java.util.List;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/**
 * Writes outcomes as a test report for build servers: one suite for each outcome and one test case for each
 * expectation.
 */
public final class JunitResults {
    private JunitResults() {}

    /** Writes the report. Does not close {@code to}. */
    public static void write(List<Outcome> outcomes, Appendable to) throws IOException {
        StringWriter text = new StringWriter();
        try {
            XMLStreamWriter xml = XMLOutputFactory.newDefaultFactory().createXMLStreamWriter(text);
            xml.writeStartDocument("UTF-8", "1.0");
            xml.writeCharacters("\n");
            xml.writeStartElement("testsuites");
            attribute(xml, "name", "reservoir sim");
            counts(xml, outcomes.stream().flatMap(o -> o.verdicts().stream()).toList());
            for (Outcome outcome : outcomes) {
                suite(outcome, xml);
            }
            xml.writeCharacters("\n");
            xml.writeEndElement();
            xml.writeEndDocument();
            xml.close();
        } catch (XMLStreamException e) {
            throw new IOException(e);
        }
        to.append(text.getBuffer()).append('\n');
    }

    private static void suite(Outcome outcome, XMLStreamWriter xml) throws XMLStreamException {
        String name = outcome.scenario().name() + " (" + outcome.pool().label() + ")";
        xml.writeCharacters("\n  ");
        xml.writeStartElement("testsuite");
        attribute(xml, "name", name);
        counts(xml, outcome.verdicts());
        for (Verdict verdict : outcome.verdicts()) {
            xml.writeCharacters("\n    ");
            xml.writeStartElement("testcase");
            attribute(xml, "classname", name);
            attribute(xml, "name", verdict.name());
            if (!verdict.holds()) {
                String message = "expected " + verdict.expected() + ", found " + verdict.found();
                xml.writeCharacters("\n      ");
                xml.writeStartElement("failure");
                attribute(xml, "type", verdict.name());
                attribute(xml, "message", message);
                xml.writeCharacters(
                        allowed(message + ". Seed " + outcome.scenario().seed() + "."));
                xml.writeEndElement();
                xml.writeCharacters("\n    ");
            }
            xml.writeEndElement();
        }
        xml.writeCharacters("\n  ");
        xml.writeEndElement();
    }

    private static void counts(XMLStreamWriter xml, List<Verdict> verdicts) throws XMLStreamException {
        attribute(xml, "tests", Integer.toString(verdicts.size()));
        attribute(
                xml,
                "failures",
                Long.toString(verdicts.stream().filter(v -> !v.holds()).count()));
        attribute(xml, "errors", "0");
        attribute(xml, "skipped", "0");
    }

    private static void attribute(XMLStreamWriter xml, String name, String value) throws XMLStreamException {
        xml.writeAttribute(name, allowed(value));
    }

    /** Replaces the characters that XML cannot contain, not even escaped. */
    private static String allowed(String text) {
        StringBuilder result = new StringBuilder();
        text.codePoints()
                .map(c -> c == '\t'
                                || c == '\n'
                                || c == '\r'
                                || (c >= ' ' && c <= 0xD7FF)
                                || (c >= 0xE000 && c <= 0xFFFD)
                                || c > 0xFFFF
                        ? c
                        : '?')
                .forEach(result::appendCodePoint);
        return result.toString();
    }
}
