package dev.reservoir.postgres.local;

/** A program that starts a server, asks it something and ends. */
final class OrdinaryUser {
    private OrdinaryUser() {}

    public static void main(String[] args) throws Exception {
        if (System.getProperty("user.name").equals("root")) {
            throw new IllegalStateException("this is root");
        }
        try (LocalPostgres server = LocalPostgres.start()) {
            if (!LocalPostgresTest.ask(server, "select 6 * 7").equals("42")) {
                throw new IllegalStateException("wrong answer");
            }
        }
    }
}
