/** Events for Java's Flight Recorder. Needs the module {@code jdk.jfr}, which a JVM may lack. */
@NullMarked
package dev.reservoir.core.internal.recording;

import org.jspecify.annotations.NullMarked;
