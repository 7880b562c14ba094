package dev.reservoir.core.util;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import javax.management.InstanceAlreadyExistsException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;

/** What is shown in JMX, and what becomes of two of one name. */
class JmxBeansTest {
    private static final MBeanServer JMX = ManagementFactory.getPlatformMBeanServer();

    private final List<Exception> failed = new ArrayList<>();

    /** Something to show. */
    public interface ThingMXBean {
        int getSize();
    }

    private ObjectName show(String name, int size) {
        return JmxBeans.register(() -> size, ThingMXBean.class, "Thing", "name", name, failed::add);
    }

    private static Object size(ObjectName where) throws Exception {
        return JMX.getAttribute(where, "Size");
    }

    @Test
    void aBeanIsShownByItsNameUntilItIsTakenBack() throws Exception {
        ObjectName where = show("beans-1", 3);
        assertThat(where).hasToString("dev.reservoir:type=Thing,name=beans-1");
        assertThat(size(where)).isEqualTo(3);

        JmxBeans.unregister(where);
        assertThat(JMX.isRegistered(where)).isFalse();
        JmxBeans.unregister(where);
        JmxBeans.unregister(null);
        assertThat(failed).isEmpty();
    }

    @Test
    void aNameMayHaveWhatJmxWouldTakeApart() throws Exception {
        ObjectName where = show("a,b=\"c\"*:5432", 1);
        assertThat(ObjectName.unquote(where.getKeyProperty("name"))).isEqualTo("a,b=\"c\"*:5432");
        assertThat(size(where)).isEqualTo(1);
        JmxBeans.unregister(where);
    }

    @Test
    void aSecondOfTheSameNameMayHaveANumberBehindIt() throws Exception {
        List<ObjectName> shown = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            int size = i;
            ThingMXBean thing = () -> size;
            shown.add(JmxBeans.registerNumbered(thing, ThingMXBean.class, "Thing", "name", "numbered", failed::add));
        }
        assertThat(shown)
                .extracting(where -> where.getKeyProperty("name"))
                .containsExactly("numbered", "numbered-2", "numbered-3");
        assertThat(size(shown.get(2))).isEqualTo(3);
        assertThat(failed).isEmpty();
        shown.forEach(JmxBeans::unregister);
    }

    @Test
    void aSecondOfTheSameNameIsNotShownUnlessItIsToReplaceTheFirst() throws Exception {
        ObjectName where = show("beans-2", 1);
        assertThat(show("beans-2", 2)).isNull();
        assertThat(failed).singleElement().isInstanceOf(InstanceAlreadyExistsException.class);
        assertThat(size(where)).isEqualTo(1);

        ThingMXBean third = () -> 3;
        assertThat(JmxBeans.replace(third, ThingMXBean.class, "Thing", "name", "beans-2", failed::add))
                .isEqualTo(where);
        assertThat(size(where)).isEqualTo(3);
        JmxBeans.unregister(where);
    }
}
