package dev.reservoir.dsql.token;

/** Makes tokens. */
@FunctionalInterface
interface TokenSigner {

    /** Makes a token now. May block for long, because credentials may have to be fetched. */
    Token sign() throws Exception;
}
