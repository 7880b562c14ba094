package dev.reservoir.spring.boot;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;

/** An application whose slices are tested. */
@SpringBootConfiguration
@EnableAutoConfiguration
class SliceApplication {}
