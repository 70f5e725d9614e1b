//! Values in both directions.

use sqlx::{FromRow, Row as _, TypeInfo as _, Value as _, ValueRef as _};
use sqlx_rusqlite::StorageClass;

use super::{Database, insert};

#[derive(Debug, FromRow, PartialEq)]
struct Item {
    id: i64,
    name: Option<String>,
    weight: Option<f64>,
    heavy: bool,
    bytes: Option<Vec<u8>>,
}

#[tokio::test]
async fn bound_values_are_read_back_unchanged() {
    let mut connection = Database::new().await.connect().await;
    let items = [
        Item { id: i64::MIN, name: None, weight: None, heavy: false, bytes: None },
        Item {
            id: 7,
            name: Some("Ä, ☃ and\0nothing".to_owned()),
            weight: Some(-0.1),
            heavy: true,
            bytes: Some(vec![0, 255]),
        },
        Item {
            id: i64::MAX,
            name: Some(String::new()),
            weight: Some(1e300),
            heavy: true,
            bytes: Some(Vec::new()),
        },
    ];
    for item in &items {
        let result =
            sqlx::query("INSERT INTO items (bytes, heavy, weight, name, id) VALUES ($5, $4, $3, $2, $1)")
                .bind(item.id)
                .bind(item.name.as_deref())
                .bind(item.weight)
                .bind(item.heavy)
                .bind(&item.bytes)
                .execute(&mut connection)
                .await
                .unwrap();
        assert_eq!(result.rows_affected(), 1);
    }
    let all = "SELECT id, name, weight, heavy, bytes FROM items ORDER BY id";
    let found: Vec<Item> = sqlx::query_as(all).fetch_all(&mut connection).await.unwrap();
    assert_eq!(found, items);
    // Once more, from the statement cache.
    let first: Option<Item> = sqlx::query_as(all).fetch_optional(&mut connection).await.unwrap();
    assert_eq!(first.as_ref(), items.first());
}

#[tokio::test]
async fn every_type_is_null_when_it_is_none() {
    let mut connection = Database::new().await.connect().await;
    let query = sqlx::query("SELECT $1, $2, $3, $4, $5, $6, $7, $8")
        .bind(None::<i64>)
        .bind(None::<i32>)
        .bind(None::<bool>)
        .bind(None::<f64>)
        .bind(None::<String>)
        .bind(None::<&str>)
        .bind(None::<Vec<u8>>)
        .bind(None::<&[u8]>);
    let row = query.fetch_one(&mut connection).await.unwrap();
    for index in 0..8 {
        assert!(row.try_get_raw(index).unwrap().is_null(), "column {index}");
    }
    assert_eq!(row.get::<Option<i64>, _>(0), None);
    assert_eq!(row.get::<Option<i32>, _>(1), None);
    assert_eq!(row.get::<Option<bool>, _>(2), None);
    assert_eq!(row.get::<Option<f64>, _>(3), None);
    assert_eq!(row.get::<Option<String>, _>(4), None);
    assert_eq!(row.get::<Option<Vec<u8>>, _>(6), None);
}

#[tokio::test]
async fn a_value_says_its_storage_class_and_outlives_its_row() {
    let mut connection = Database::new().await.connect().await;
    let row = sqlx::query("SELECT NULL, 1, 1.5, 'one', x'01'").fetch_one(&mut connection).await.unwrap();
    let classes: Vec<StorageClass> =
        (0..5).map(|index| *row.try_get_raw(index).unwrap().type_info()).collect();
    assert_eq!(
        classes,
        [
            StorageClass::Null,
            StorageClass::Integer,
            StorageClass::Real,
            StorageClass::Text,
            StorageClass::Blob
        ]
    );
    assert_eq!(classes[3].name(), "TEXT");
    let owned = sqlx::ValueRef::to_owned(&row.try_get_raw(3).unwrap());
    drop(row);
    assert_eq!(owned.decode::<String>(), "one");
}

#[tokio::test]
async fn integers_are_checked_against_their_range() {
    let mut connection = Database::new().await.connect().await;
    let row = sqlx::query("SELECT $1, $2").bind(i32::MIN).bind(i64::from(i32::MAX) + 1);
    let row = row.fetch_one(&mut connection).await.unwrap();
    assert_eq!(row.get::<i32, _>(0), i32::MIN);
    assert!(row.try_get::<i32, _>(1).unwrap_err().to_string().contains("out of range"));
}

#[tokio::test]
async fn a_value_of_another_class_or_a_missing_column_is_an_error() {
    let mut connection = Database::new().await.connect().await;
    insert(&mut connection, "seven").await.unwrap();
    let text = sqlx::query_scalar::<_, i64>("SELECT name FROM items").fetch_one(&mut connection).await;
    assert!(text.unwrap_err().to_string().contains("TEXT"));
    let null = sqlx::query_scalar::<_, String>("SELECT weight FROM items").fetch_one(&mut connection).await;
    assert!(null.unwrap_err().to_string().contains("NULL where String was expected"));
    let missing = sqlx::query_as::<_, Item>("SELECT id FROM items").fetch_one(&mut connection).await;
    assert!(matches!(missing, Err(sqlx::Error::ColumnNotFound(name)) if name == "name"));
    let invalid =
        sqlx::query_scalar::<_, String>("SELECT CAST(x'ff' AS TEXT)").fetch_one(&mut connection).await;
    assert!(invalid.unwrap_err().to_string().contains("utf-8"));
}

#[tokio::test]
async fn columns_are_found_by_name_in_any_order() {
    let mut connection = Database::new().await.connect().await;
    let row = sqlx::query("SELECT 1 AS a, 2 AS b, 3 AS c").fetch_one(&mut connection).await.unwrap();
    for (name, value) in [("c", 3), ("a", 1), ("b", 2), ("b", 2), ("c", 3), ("a", 1)] {
        assert_eq!(row.get::<i64, _>(name), value, "{name}");
    }
    assert!(matches!(
        row.try_get::<i64, _>(3),
        Err(sqlx::Error::ColumnIndexOutOfBounds { index: 3, len: 3 })
    ));
}
