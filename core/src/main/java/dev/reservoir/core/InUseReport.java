package dev.reservoir.core;

import dev.reservoir.core.util.Text;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Describes one connection in use: its holder and the time since its checkout.
 *
 * @param heldNanos how long it has been in use
 * @param thread the name of the thread that acquired it, or the thread's number if the thread is virtual or has ended
 * @param stack where it was acquired, outermost caller last; empty unless checkouts are tracked
 */
public record InUseReport(long heldNanos, String thread, List<StackTraceElement> stack) {
    /** Packages of this library. Their frames lie above every caller and tell nothing about the caller. */
    private static final List<String> OWN = List.of(
            "dev.reservoir.core.",
            "dev.reservoir.jdbc.",
            "dev.reservoir.dsql.",
            "dev.reservoir.remote.",
            "dev.reservoir.flightsql.");

    /**
     * Packages of the JDK and of languages; of database access; of other pools and of data sources that wrap a data
     * source; and of containers and the code that they wrap around application code.
     */
    private static final List<String> FRAMEWORKS = List.of("""
            java. javax. jdk. sun. com.sun. jakarta. kotlin. kotlinx. scala. groovy. org.codehaus.groovy.
            org.apache.groovy.
            org.hibernate. org.eclipse.persistence. org.apache.openjpa. org.jooq. org.apache.ibatis. org.mybatis.
            com.baomidou.mybatisplus. org.jdbi. org.jetbrains.exposed. com.querydsl. io.ebean. org.flywaydb.
            liquibase. org.apache.commons.dbutils. org.quartz.
            com.zaxxer.hikari. io.agroal. org.apache.commons.dbcp2. org.apache.commons.pool2. org.apache.tomcat.
            com.mchange. net.ttddyy. com.p6spy.
            org.springframework. io.quarkus. io.micronaut. io.helidon. org.jboss. org.wildfly. com.google.inject.
            org.aopalliance. org.aspectj. net.bytebuddy. net.sf.cglib. javassist. io.micrometer. io.opentelemetry.
            io.github.resilience4j. reactor. io.reactivex. rx. akka. org.apache.pekko. io.netty. io.vertx.
            io.undertow. org.apache.catalina. org.apache.coyote. org.eclipse.jetty. org.glassfish. org.apache.cxf.
            org.apache.camel.""".split("\\s+"));

    /** Matches classes that a library generates next to those of the application: proxies and subclasses. */
    private static final Pattern GENERATED = Pattern.compile(
            "\\$\\$(?:SpringCGLIB|EnhancerBy|FastClassBy|Lambda)|\\$(?:ByteBuddy|HibernateProxy|HibernateInstantiator"
                    + "|HibernateAccessOptimizer)\\$|\\$Proxy\\d+|_\\$\\$_|_(?:ClientProxy|Subclass)$");

    /** Matches the name that the compiler gives to the body of a lambda. The group is the enclosing method. */
    private static final Pattern LAMBDA = Pattern.compile("lambda\\$(.+)\\$\\d+");

    /** Copies the list, so that later changes to it have no effect. */
    public InUseReport {
        stack = List.copyOf(stack);
    }

    /**
     * One line with the time held, the thread, and the place if it is known. The place is the innermost frame of
     * application code. The search skips frames of known frameworks and of generated classes. If it finds no other
     * frame, it uses the innermost skipped one.
     */
    public String describe() {
        StackTraceElement place = null;
        for (StackTraceElement frame : stack) {
            if (startsWithAny(frame.getClassName(), OWN)) {
                continue;
            }
            if (isApplication(frame)) {
                place = frame;
                break;
            }
            place = place == null ? frame : place;
        }
        return Text.nanos(heldNanos) + ", " + thread + (place == null ? "" : ", " + describe(place));
    }

    private static boolean isApplication(StackTraceElement frame) {
        String type = frame.getClassName();
        return !startsWithAny(type, FRAMEWORKS) && !GENERATED.matcher(type).find();
    }

    private static boolean startsWithAny(String type, List<String> prefixes) {
        for (String prefix : prefixes) {
            if (type.startsWith(prefix)) {
                return true;
            }
        }
        return false;
    }

    private static String describe(StackTraceElement frame) {
        String type = frame.getClassName();
        Matcher lambda = LAMBDA.matcher(frame.getMethodName());
        String method = lambda.matches() ? lambda.group(1) : frame.getMethodName();
        String line = frame.getLineNumber() < 0 ? "" : ":" + frame.getLineNumber();
        return type.substring(type.lastIndexOf('.') + 1) + "." + method + line;
    }
}
