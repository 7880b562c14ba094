package dev.reservoir.dsql.token;

/** Makes a token. */
@FunctionalInterface
interface TokenSigner {

    /** Makes one now. May block for long: credentials may have to be fetched. */
    Token sign() throws Exception;
}
