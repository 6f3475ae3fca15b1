#!/usr/bin/env bash
# Run once by the image, when its data folder is empty. Passwords come from the environment; they reach psql as variables
# and are quoted by it.
set -euo pipefail

psql --set ON_ERROR_STOP=1 --username postgres --dbname postgres \
  --set store_password="$HEADGATE_STORE_PASSWORD" --set app_password="$APP_PASSWORD" <<'SQL'
CREATE ROLE headgate LOGIN PASSWORD :'store_password';
CREATE DATABASE headgate OWNER headgate;
CREATE ROLE app LOGIN PASSWORD :'app_password';
CREATE DATABASE app OWNER app;
SQL
