package dev.reservoir.sim.result;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringReader;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

/** Outcomes as a test report. */
class JunitResultsTest {
    private static String xml(Outcome... outcomes) throws IOException {
        StringBuilder text = new StringBuilder();
        JunitResults.write(List.of(outcomes), text);
        return text.toString();
    }

    @Test
    void eachOutcomeIsASuiteAndEachAssertionACase() throws IOException {
        assertThat(xml(HandMade.passing(), HandMade.failing())).isEqualTo("""
                        <?xml version="1.0" encoding="UTF-8"?>
                        <testsuites name="reservoir sim" tests="3" failures="1" errors="0" skipped="0">
                          <testsuite name="calm (reservoir)" tests="1" failures="0" errors="0" skipped="0">
                            <testcase classname="calm (reservoir)" name="assertMaxTimeouts"></testcase>
                          </testsuite>
                          <testsuite name="storm (plain)" tests="2" failures="1" errors="0" skipped="0">
                            <testcase classname="storm (plain)" name="assertMaxTimeouts"></testcase>
                            <testcase classname="storm (plain)" name="assertConvergeWithin">
                              <failure type="assertConvergeWithin" message="expected &lt; 1 s &amp; &quot;stable&quot;, found never?">expected &lt; 1 s &amp; "stable", found never?. Seed 7.</failure>
                            </testcase>
                          </testsuite>
                        </testsuites>
                        """);
    }

    @Test
    void itIsXml() throws Exception {
        Document document = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new InputSource(new StringReader(xml(HandMade.failing()))));

        assertThat(document.getElementsByTagName("testcase").getLength()).isEqualTo(2);
        assertThat(document.getElementsByTagName("failure").getLength()).isEqualTo(1);
    }
}
