/** Pretends to be an application: its code lies outside of this project's packages and of every framework's. */
@NullMarked
package com.example.orders;

import org.jspecify.annotations.NullMarked;
