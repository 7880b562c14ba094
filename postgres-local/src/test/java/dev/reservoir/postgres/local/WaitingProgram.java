package dev.reservoir.postgres.local;

import java.nio.file.Files;

/** A program that starts a server, says its process id and its folder, and waits until it is killed. */
final class WaitingProgram {
    private WaitingProgram() {}

    public static void main(String[] args) throws Exception {
        LocalPostgres server = LocalPostgres.start();
        System.out.println(Files.readAllLines(server.dataDirectory().resolve("postmaster.pid"))
                .get(0));
        System.out.println(server.dataDirectory().getParent());
        Thread.sleep(Long.MAX_VALUE);
    }
}
