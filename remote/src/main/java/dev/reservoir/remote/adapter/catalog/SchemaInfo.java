package dev.reservoir.remote.adapter.catalog;

/**
 * A schema of a remote database.
 *
 * @param catalog the catalog that holds it; empty if the database has no catalogs
 * @param name the name; on MySQL the name of a database
 */
public record SchemaInfo(String catalog, String name) {}
