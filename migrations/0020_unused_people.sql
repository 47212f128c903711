-- People who are credited with nothing are forgotten, from now on with their last credit.

DELETE FROM person
 WHERE NOT EXISTS (SELECT 1 FROM item_person WHERE item_person.person_id = person.id);
