/** The displays: a web page, the terminal and a summary. */
@NullMarked
package dev.reservoir.demo.view;

import org.jspecify.annotations.NullMarked;
