"""Small SQL texts in the manner of well-known public databases, and SQLite files, for the tests of the twin."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

SHOP = """
CREATE TABLE category (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);  -- shelves
CREATE TABLE product (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name VARCHAR(80) NOT NULL, -- as on the label
    category_id INTEGER NOT NULL REFERENCES category(id) ON DELETE CASCADE,
    price DECIMAL(10, 2) NOT NULL CHECK (price > 0),
    stock INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE customer (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL UNIQUE, joined_on DATE
);
CREATE TABLE purchase (
    id INTEGER PRIMARY KEY,
    customer_id INTEGER NOT NULL REFERENCES customer(id),
    status TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'paid', 'shipped')),
    bought_at DATETIME NOT NULL
);
CREATE TABLE purchase_line (
    purchase_id INTEGER NOT NULL REFERENCES purchase(id),
    product_id INTEGER NOT NULL REFERENCES product(id),
    quantity INTEGER NOT NULL CHECK (quantity > 0),
    PRIMARY KEY (purchase_id, product_id)
);
CREATE VIEW cheap AS SELECT * FROM product WHERE price < 5;
INSERT INTO category VALUES (1, 'Tools'), (2, 'Seeds'), (3, 'Pots');
INSERT INTO product (id, name, category_id, price, stock) VALUES
    (1, 'Hand rake', 1, 12.50, 8), (2, 'Pea seeds', 2, 2.20, 90), (3, 'Clay pot', 3, 7, 31),
    (4, 'Garden hose', 1, 34.95, 5), (5, 'Bean seeds', 2, 2.10, 70), (6, 'Tin bucket', 3, 9.80, 12);
INSERT INTO customer VALUES
    (1, 'Ann O''Hara', 'ann@example.org', '2024-02-03'), (2, 'Ben Li; jr.', 'ben@example.org', NULL),
    (3, 'Cora Diaz', 'cora@example.org', '2024-05-06'), (4, 'Dev Shah', 'dev@example.org', '2024-06-01');
INSERT INTO purchase VALUES
    (1, 1, 'paid', '2024-06-01 10:00:00'), (2, 2, 'open', '2024-06-03T09:30:00Z'),
    (3, 3, 'shipped', '2024-05-02 11:00');
INSERT INTO purchase_line VALUES (1, 1, 1), (1, 2, 4), (2, 3, 2), (3, 4, 1), (3, 5, 6);
"""

POSTGRES = r"""
-- PostgreSQL database dump
\connect rentals
SET statement_timeout = 0;
CREATE TYPE public.grade AS ENUM ('G', 'PG-13', 'R');
CREATE DOMAIN public.year AS integer CONSTRAINT year_check CHECK (((VALUE >= 1901) AND (VALUE <= 2155)));
CREATE FUNCTION public.touch() RETURNS trigger LANGUAGE plpgsql
    AS $_$ BEGIN NEW.last_update = now(); RETURN NEW; END; $_$;
CREATE TABLE public.film (
    film_id integer NOT NULL,
    title character varying(255) NOT NULL,
    released public.year,
    rating public.grade DEFAULT 'G'::public.grade,
    features text[],
    searchable tsvector,
    last_update timestamp without time zone DEFAULT now() NOT NULL,
    kind text DEFAULT 'long'::text,
    CONSTRAINT kinds CHECK ((kind = ANY (ARRAY['long'::text, 'short'::text]))),
    CONSTRAINT titled CHECK ((title ~ '^[A-Z]'::text))
);
CREATE SEQUENCE public.film_film_id_seq START WITH 1;
CREATE SEQUENCE public.tickets START WITH 1;
ALTER SEQUENCE public.film_film_id_seq OWNED BY public.film.film_id;
ALTER TABLE ONLY public.film ALTER COLUMN film_id SET DEFAULT nextval('public.film_film_id_seq'::regclass);
COMMENT ON TABLE public.film IS 'A film that can be rented';
COMMENT ON COLUMN public.film.title IS 'Title on the box';
CREATE TABLE public.store (store_id integer NOT NULL, manager_id integer NOT NULL);
CREATE TABLE public.staff (
    staff_id integer NOT NULL, name text NOT NULL, store_id integer NOT NULL, active boolean DEFAULT true NOT NULL
);
COPY public.film (film_id, title, released, rating, features, searchable, last_update, kind) FROM stdin;
1	ACADEMY\tDINOSAUR	2006	PG-13	{Trailers}	'academi':1	2006-02-15 05:03:42.5	long
2	Ace; Goldfinger	\N	G	\N	\N	2006-02-15 05:03:42	short
\.
COPY public.store (store_id, manager_id) FROM stdin;
1	1
2	2
\.
COPY public.staff (staff_id, name, store_id, active) FROM stdin;
1	Mike	1	t
2	Jon	2	f
3	Eva	1	t
\.
ALTER TABLE ONLY public.film ADD CONSTRAINT film_pkey PRIMARY KEY (film_id);
ALTER TABLE ONLY public.store ADD CONSTRAINT store_pkey PRIMARY KEY (store_id);
ALTER TABLE ONLY public.staff ADD CONSTRAINT staff_pkey PRIMARY KEY (staff_id);
CREATE UNIQUE INDEX one_short ON public.film USING btree (kind) WHERE (kind = 'short'::text);
CREATE UNIQUE INDEX staff_name ON public.staff USING btree (lower(name));
CREATE UNIQUE INDEX managers ON public.store USING btree (manager_id);
CREATE TRIGGER film_touch BEFORE UPDATE ON public.film FOR EACH ROW EXECUTE FUNCTION public.touch();
ALTER TABLE ONLY public.store ADD CONSTRAINT m FOREIGN KEY (manager_id) REFERENCES public.staff(staff_id);
ALTER TABLE ONLY public.staff
    ADD CONSTRAINT s FOREIGN KEY (store_id) REFERENCES public.store(store_id) ON UPDATE CASCADE ON DELETE SET NULL;
CREATE VIEW public.titles AS SELECT film.title FROM public.film;
"""

MYSQL = r"""
/*!40101 SET NAMES utf8 */;
DROP TABLE IF EXISTS `Order`;
CREATE TABLE `Order` (
  `OrderID` int unsigned NOT NULL AUTO_INCREMENT,
  `format` enum('gift','plain') NOT NULL DEFAULT 'plain' COMMENT 'How it is wrapped',
  `Unit Price` double unsigned DEFAULT NULL,
  `is_paid` tinyint(1) NOT NULL DEFAULT '0',
  `tags` set('new','old'),
  `changed` timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
  `photo` mediumblob,
  `total` decimal(8,2) GENERATED ALWAYS AS (`Unit Price` * 2) STORED,
  PRIMARY KEY (`OrderID`),
  KEY `by_format` (`format`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8 COMMENT='What somebody bought';
LOCK TABLES `Order` WRITE;
INSERT INTO `Order` (`OrderID`,`format`,`Unit Price`,`is_paid`,`tags`,`changed`,`photo`) VALUES
(1,'gift',2.5,1,'new','2020-01-02 03:04:05',NULL),(2,'plain',NULL,0,'it\'s; "old"','0000-00-00 00:00:00',_binary 'x');
UNLOCK TABLES;
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`localhost`*/ /*!50003 TRIGGER `stamp` BEFORE INSERT ON `Order` FOR EACH ROW
BEGIN SET NEW.format = 'gift'; SET NEW.is_paid = 0; END */;;
DELIMITER ;
CREATE PROCEDURE `tidy`() SELECT 1;
"""

# In the manner of Chinook (CamelCase in quotes), Northwind (keys of text), and the tables of Rails and Django.
CHINOOK = """
CREATE TABLE "Artist" ("ArtistId" INT NOT NULL, "Name" VARCHAR(120), CONSTRAINT "PK_Artist" PRIMARY KEY ("ArtistId"));
CREATE TABLE "Album" (
    "AlbumId" INT NOT NULL, "Title" VARCHAR(160) NOT NULL, "ArtistId" INT NOT NULL,
    CONSTRAINT "PK_Album" PRIMARY KEY ("AlbumId")
);
ALTER TABLE "Album" ADD CONSTRAINT "FK_AlbumArtistId"
    FOREIGN KEY ("ArtistId") REFERENCES "Artist" ("ArtistId") ON DELETE NO ACTION ON UPDATE NO ACTION;
CREATE INDEX "IFK_AlbumArtistId" ON "Album" ("ArtistId");
INSERT INTO "Artist" ("ArtistId", "Name") VALUES (1, N'AC/DC'), (2, N'Aerosmith'), (3, N'Bruno Mars');
INSERT INTO "Album" VALUES (1, N'Let There Be Rock', 1), (2, N'Big Ones', 2), (3, N'Back in Black', 1), (4, N'24K', 3);
"""

NORTHWIND = """
CREATE TABLE customers (
    customer_id character varying(5) NOT NULL PRIMARY KEY, company_name character varying(40) NOT NULL
);
CREATE TABLE orders (
    order_id smallint NOT NULL PRIMARY KEY, customer_id character varying(5) REFERENCES customers, freight real
);
CREATE TABLE region (region_id smallint NOT NULL, region_description bytea);
INSERT INTO customers VALUES ('ALFKI', 'Alfreds Futterkiste'), ('ANATR', 'Ana Trujillo'), ('BERGS', 'Berglunds');
INSERT INTO orders VALUES (10248, 'ALFKI', 32.380001), (10249, 'ANATR', 11.61), (10250, NULL, 65.83);
INSERT INTO region VALUES (1, '\\x4561');
"""

RAILS = """
CREATE EXTENSION IF NOT EXISTS citext WITH SCHEMA public;
CREATE TABLE public.schema_migrations (version character varying NOT NULL);
CREATE TABLE public.users (
    id bigint NOT NULL, email character varying DEFAULT ''::character varying NOT NULL,
    settings jsonb DEFAULT '{}'::jsonb,
    uid uuid DEFAULT gen_random_uuid() NOT NULL, created_at timestamp(6) without time zone NOT NULL
);
CREATE TABLE public.memberships (
    role text NOT NULL, user_id bigint NOT NULL, group_name character varying NOT NULL
);
ALTER TABLE public.users ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (SEQUENCE NAME public.users_id_seq);
ALTER TABLE ONLY public.users ADD CONSTRAINT users_pkey PRIMARY KEY (id);
CREATE UNIQUE INDEX index_users_on_email ON public.users USING btree (email);
CREATE UNIQUE INDEX one ON public.memberships USING btree (user_id, group_name);
ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT fk_rails_1 FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
INSERT INTO "schema_migrations" (version) VALUES ('20240101000000'), ('20240102000000');
"""

DJANGO = """
CREATE TABLE "auth_group" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "name" varchar(150) NOT NULL UNIQUE);
CREATE TABLE "auth_user" (
    "id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "username" varchar(150) NOT NULL UNIQUE, "is_staff" bool NOT NULL,
    "last_name" varchar(150) NOT NULL, "date_joined" datetime NOT NULL
);
CREATE TABLE "auth_user_groups" (
    "id" integer NOT NULL PRIMARY KEY AUTOINCREMENT,
    "user_id" integer NOT NULL REFERENCES "auth_user" ("id") DEFERRABLE INITIALLY DEFERRED,
    "group_id" integer NOT NULL REFERENCES "auth_group" ("id") DEFERRABLE INITIALLY DEFERRED
);
CREATE UNIQUE INDEX "uniq" ON "auth_user_groups" ("user_id", "group_id");
CREATE TABLE "django_migrations" ("id" integer NOT NULL PRIMARY KEY, "name" varchar(255) NOT NULL);
CREATE TABLE "django_admin_log" (
    "id" integer NOT NULL PRIMARY KEY AUTOINCREMENT,
    "action_flag" smallint unsigned NOT NULL CHECK ("action_flag" >= 0),
    "user_id" integer NOT NULL REFERENCES "auth_user" ("id") DEFERRABLE INITIALLY DEFERRED,
    "action_time" datetime NOT NULL
);
INSERT INTO auth_user VALUES (1, 'ann', 1, '', '2024-01-02 10:00:00.123'), (2, 'bob', 0, 'Lee', '2024-01-03 10:00:00');
INSERT INTO auth_group VALUES (1, 'editors');
INSERT INTO auth_user_groups VALUES (1, 1, 1);
"""

ALL = {
    **{"shop": SHOP, "postgres": POSTGRES, "mysql": MYSQL, "chinook": CHINOOK, "northwind": NORTHWIND},
    **{"rails": RAILS, "django": DJANGO},
}


def sqlite_file(path: Path, sql: str) -> Path:
    """Make a SQLite file by running statements."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(sql)
        connection.commit()
    return path
