package dev.reservoir.remote.sys;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.remote.model.MappingOptions;
import dev.reservoir.remote.model.RemoteOption;
import dev.reservoir.remote.model.ServerOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The tables of the SQL reference say what the tables of options and views say. After a change, write them again:
 *
 * <pre>
 * mvn -pl remote -am test -Dtest=RemoteSqlDocsTest -Dsurefire.failIfNoSpecifiedTests=false -Dregenerate
 * </pre>
 */
class RemoteSqlDocsTest {
    private static final Path PAGE = Path.of("..", "docs", "remote-sql.md");

    @Test
    void thePageIsUpToDate() throws IOException {
        String present = Files.readString(PAGE);
        String wanted = with(present, "server options", options(ServerOptions.all()));
        wanted = with(wanted, "mapping options", options(MappingOptions.all()));
        wanted = with(wanted, "views", views());
        if (System.getProperty("regenerate") != null) {
            Files.writeString(PAGE, wanted);
        } else {
            assertThat(present)
                    .as("%s; write it again, RemoteSqlDocsTest says how", PAGE)
                    .isEqualTo(wanted);
        }
    }

    private static String with(String page, String name, String contents) {
        Matcher place =
                Pattern.compile("(?s)<!-- " + name + " -->\n.*?<!-- end -->").matcher(page);
        assertThat(place.find()).as("the place of the %s", name).isTrue();
        return place.replaceFirst(Matcher.quoteReplacement("<!-- " + name + " -->\n" + contents + "\n<!-- end -->"));
    }

    private static String options(List<RemoteOption<?>> options) {
        List<String> lines = new ArrayList<>();
        RemoteOption.Group group = null;
        for (RemoteOption<?> option : options) {
            if (option.group() != group) {
                group = option.group();
                lines.add("\n**" + group.title() + "**\n");
                lines.add("| option | default | allowed | meaning |");
                lines.add("|---|---|---|---|");
            }
            String alias = option.alias() == null ? "" : " (also `" + option.alias() + "`)";
            lines.add("| `" + option.key() + "`" + alias + " | " + option.defaultInDocs() + " | " + option.allowed()
                    + " | " + option.doc() + " |");
        }
        return String.join("\n", lines) + "\n";
    }

    private static String views() {
        List<String> lines = new ArrayList<>();
        for (SysView<?> view : SysViews.all()) {
            lines.add("\n**`sys." + view.name() + "`**\n");
            lines.add("| column | type | meaning |");
            lines.add("|---|---|---|");
            for (SysView.Column<?> column : view.columns()) {
                lines.add("| `" + column.name() + "` | " + column.type().replace("(6)", "") + " | " + column.doc()
                        + " |");
            }
        }
        return String.join("\n", lines) + "\n";
    }
}
