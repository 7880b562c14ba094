package dev.reservoir.remote;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.testkit.PublicApiPage;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The page of public types lists every type that this module exports, and no other. */
class PublicApiTest {
    @Test
    void thePageListsEveryExportedTypeAndNoOther() throws Exception {
        Set<String> exported = PublicApiPage.exportedTypes(RemoteConnectionPoolRegistry.class);
        assertThat(exported).contains("dev.reservoir.remote.sys.port.SysPort");
        assertThat(PublicApiPage.listedTypes(name -> name.equals("remote") || name.startsWith("remote.")))
                .isEqualTo(exported);
    }
}
