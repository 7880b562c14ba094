/** What is shown: a page, the terminal, a summary. */
@NullMarked
package dev.reservoir.demo.view;

import org.jspecify.annotations.NullMarked;
