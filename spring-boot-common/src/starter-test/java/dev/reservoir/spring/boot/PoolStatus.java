package dev.reservoir.spring.boot;

import java.util.Map;

/** A health in words that both lines of Spring Boot share. */
record PoolStatus(String status, Map<String, Object> details) {}
